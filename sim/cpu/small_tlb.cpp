// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/small_tlb.h"

#include <algorithm>

namespace wperf::sim {

SmallTlb::SmallTlb(u32 entries) {
  for (u32 index = 1; index <= std::clamp(entries, 1U, 255U); ++index) enqueue(static_cast<u8>(index), kHead);
}

void SmallTlb::enqueue(u8 index, u8 behind) {
  Entry& entry = entries_[index];
  entry.older = behind;
  entry.newer = entries_[behind].newer;
  entries_[entry.newer].older = index;
  entries_[behind].newer = index;
}

void SmallTlb::dequeue(u8 index) {
  const Entry& entry = entries_[index];
  entries_[entry.older].newer = entry.newer;
  entries_[entry.newer].older = entry.older;
}

void SmallTlb::forget(u8 index) {
  const u64 page = entries_[index].page;
  if (page == ~u64{0}) return;
  u8* link = &chains_[page % kChains];
  while (*link != index) link = &entries_[*link].next_in_chain;
  *link = entries_[index].next_in_chain;
}

void SmallTlb::insert(u64 page) {
  u8 oldest = entries_[kHead].newer;
  // The page was used in the meantime, so it moves to its place in the queue.
  while (entries_[oldest].used != entries_[oldest].queued) {
    dequeue(oldest);
    entries_[oldest].queued = entries_[oldest].used;
    u8 behind = entries_[kHead].older;
    while (behind != kHead && entries_[behind].queued > entries_[oldest].queued) behind = entries_[behind].older;
    enqueue(oldest, behind);
    oldest = entries_[kHead].newer;
  }
  forget(oldest);
  dequeue(oldest);
  Entry& entry = entries_[oldest];
  entry.page = page;
  entry.used = entry.queued = ++now_;
  entry.next_in_chain = chains_[page % kChains];
  chains_[page % kChains] = oldest;
  enqueue(oldest, entries_[kHead].older);
}

void SmallTlb::fill_parts(ModelParts& parts) {
  static_assert(sizeof(Entry) == 32 && kChains == 256);
  parts.data_tlb = entries_.data();
  parts.data_tlb_chains = chains_.data();
  parts.data_tlb_now = &now_;
}

}  // namespace wperf::sim
