// SPDX-License-Identifier: BSD-3-Clause
// A fully associative TLB with exact least-recently-used replacement. Programs hop between a few pages all the time, so
// a hit must be cheap: a hint says where a page was last found, and age is a time stamp instead of an order.
#pragma once
#include <array>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

class SmallTlb {
 public:
  explicit SmallTlb(u32 entries);  // at most 256
  // True when the page is there.
  bool touch(u64 page) {
    const usize index = hints_[page % kHints];
    if (pages_[index] != page) return touch_elsewhere(page);
    used_[index] = ++now_;
    return true;
  }
  void insert(u64 page);  // absent; in place of the least recently used

 private:
  static constexpr usize kHints = 256;
  bool touch_elsewhere(u64 page);

  std::vector<u64> pages_;
  std::vector<u64> used_;  // when
  std::array<u8, kHints> hints_{};
  u64 now_ = 0;
};

}  // namespace wperf::sim
