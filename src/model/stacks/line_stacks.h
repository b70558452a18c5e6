// SPDX-License-Identifier: BSD-3-Clause
// The stacks of a recording as lists of addresses, for views that show sample by sample.
#pragma once
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

inline constexpr u64 kNoOffset = ~u64{0};

struct LineFrame {
  u64 address = 0;
  u64 offset = kNoOffset;  // from where its function begins
  u32 place = 0;           // of the profile
};

// The stacks of the profile's samples by address, the innermost first. An address has frames of inlined functions
// before its own.
struct LineStacks {
  std::vector<LineFrame> frames;
  std::vector<u32> frame_begins;  // by address, in frames; one more at the end
  std::vector<u32> addresses;
  std::vector<u64> stack_begins;  // by row, in addresses; one more at the end
};

}  // namespace wperf::stacks
