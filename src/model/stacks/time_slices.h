// SPDX-License-Identifier: BSD-3-Clause
// The duration of a recording, divided into equal parts, for --timeline and pages. Pure.
#pragma once
#include <algorithm>
#include <utility>

#include "base/ints.h"
#include "model/stacks/growing_array.h"

namespace wperf::stacks {

// Samples of one row in one slice, in the order of the file. If times go back a little, the same row and slice may
// occur again.
struct SliceCount {
  u32 row = 0;  // index into StackProfile::samples
  u32 slice = 0;
  u64 count = 0, period = 0;
};

struct TimeSlices {
  u32 count = 0;  // 0: slices were not requested
  u64 begin_ns = 0, length_ns = 0;

  u32 at(u64 time_ns) const {
    const u64 since = time_ns > begin_ns ? time_ns - begin_ns : 0;
    return static_cast<u32>(std::min<u64>(since / length_ns, count - 1));
  }
};

// Limits the memory: more slices than a chart has pixels are useless, so slices become longer instead.
inline TimeSlices make_time_slices(u64 begin_ns, u64 end_ns, u64 length_ns) {
  constexpr u64 kMostSlices = 10'000;
  if (end_ns <= begin_ns || length_ns == 0) return {};
  const u64 time_ns = end_ns - begin_ns;
  while ((time_ns - 1) / length_ns >= kMostSlices) length_ns *= 2;
  return {static_cast<u32>((time_ns - 1) / length_ns + 1), begin_ns, length_ns};
}

// Counts rows by time slice, in the order of arrival. Slices are not part of the rows, because most stacks occur again
// in another slice and would need new rows, frames and nodes each time.
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
  // Called after everything was added.
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
