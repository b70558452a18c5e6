// SPDX-License-Identifier: BSD-3-Clause
// Counts rows by slice of time, as they come. Rows do not differ by slice: most stacks come again in another slice, and
// would be rows, frames and nodes each time.
#pragma once
#include <utility>

#include "model/stacks/growing_array.h"
#include "model/stacks/time_slices.h"

namespace wperf::stacks {

class SliceTally {
 public:
  void add(u32 row, u32 slice, u64 count, u64 period) {
    while (row >= newest_.size()) newest_.push_back(kNone);
    u32& at = newest_[row];
    if (at == kNone || counts_[at].slice != slice) {
      at = static_cast<u32>(counts_.size());
      counts_.push_back({row, slice, 0, 0});
    }
    counts_[at].count += count;
    counts_[at].period += period;
  }
  // When all were added.
  GrowingArray<SliceCount> take() {
    newest_ = {};
    return std::exchange(counts_, {});
  }

 private:
  static constexpr u32 kNone = ~u32{0};

  GrowingArray<SliceCount> counts_;
  GrowingArray<u32> newest_;  // by row: its entry in counts_
};

}  // namespace wperf::stacks
