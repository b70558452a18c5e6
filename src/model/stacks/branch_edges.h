// SPDX-License-Identifier: BSD-3-Clause
// Taken branches between functions or lines. In a profile of branches each stack has two frames: the target of a
// branch, and the branch itself. Its events are listed below. Pure.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "model/stacks/stack_rows.h"

namespace wperf::stacks {

struct RecordedBranch {
  u64 from = 0, to = 0;
  u64 cycles = 0;  // cycles since the previous branch, or with SPE the branch's latency; 0: not known
  bool is_mispredicted = false;
  bool is_judged = false;  // the hardware reported whether it was predicted
};

// The events of a profile of branches, in order. The period of `timed` is the sum of cycles.
enum class BranchCount : u32 { taken, judged, mispredicted, timed };
inline constexpr std::array<std::string_view, 4> kBranchCountNames = {"branches", "branches with a prediction",
                                                                      "mispredicted branches", "branches with cycles"};

struct BranchEdge {
  u32 from = kNothing, to = kNothing;  // places of the profile
  u64 taken = 0, judged = 0, mispredicted = 0, timed = 0, cycles = 0;
};

struct BranchEdges {
  std::vector<BranchEdge> rows;  // ordered by frequency, the most frequent first
  BranchEdge all;                // the sums of all rows
  u64 recorded = 0;              // taken branches, whether they pass the filter or not
};

// A branch passes the filter if one of its ends does.
BranchEdges branch_edges(const StackProfile& profile, const StackFilter& filter);

}  // namespace wperf::stacks
