// SPDX-License-Identifier: BSD-3-Clause
// A fully associative TLB with exact least-recently-used replacement. Programs hop between a few pages all the time, or
// miss all the time, so neither case may need a search. Pages are found through short chains. Each use sets a time
// stamp. A queue gives the least recently used page. The queue's order may be out of date; it is corrected only for the
// entries that are examined.
#pragma once
#include <array>

#include "base/ints.h"
#include "sim/cpu/translated_frame.h"

namespace wperf::sim {

class SmallTlb {
 public:
  explicit SmallTlb(u32 entries);  // at most 255
  // Returns true if the page is there; it becomes the newest.
  bool touch(u64 page) {
    u8 index = chains_[page % kChains];
    while (entries_[index].page != page) {
      if (index == kHead) return false;
      index = entries_[index].next_in_chain;
    }
    entries_[index].used = ++now_;
    return true;
  }
  void insert(u64 page);  // for an absent page; replaces the least recently used one
  void fill_parts(ModelParts& parts);

 private:
  static constexpr usize kChains = 256;
  static constexpr u8 kHead = 0;  // marks the queue's beginning and each chain's end

  using Entry = TlbEntry;
  void enqueue(u8 index, u8 behind);
  void dequeue(u8 index);
  void forget(u8 index);

  std::array<Entry, kChains> entries_;
  std::array<u8, kChains> chains_{};
  u64 now_ = 0;
};

}  // namespace wperf::sim
