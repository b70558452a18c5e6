// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/small_tlb.h"

#include <algorithm>

namespace wperf::sim {

SmallTlb::SmallTlb(u32 entries) : pages_(std::clamp(entries, 1U, 256U), ~u64{0}), used_(pages_.size(), 0) {}

bool SmallTlb::touch_elsewhere(u64 page) {
  const auto found = std::find(pages_.begin(), pages_.end(), page);
  if (found == pages_.end()) return false;
  const auto index = static_cast<usize>(found - pages_.begin());
  hints_[page % kHints] = static_cast<u8>(index);
  used_[index] = ++now_;
  return true;
}

void SmallTlb::insert(u64 page) {
  usize oldest = 0;
  u64 oldest_used = used_[0];
  for (usize index = 1; index < used_.size(); ++index) {
    const bool older = used_[index] < oldest_used;  // foreseen by no host: selected, not branched on
    oldest = older ? index : oldest;
    oldest_used = older ? used_[index] : oldest_used;
  }
  pages_[oldest] = page;
  used_[oldest] = ++now_;
  hints_[page % kHints] = static_cast<u8>(oldest);
}

}  // namespace wperf::sim
