// SPDX-License-Identifier: BSD-3-Clause
// The answer of `report --branches`: branches with source, target, count and mispredictions. Pure.
#pragma once
#include <string>

#include "model/stacks/branch_edges.h"

namespace wperf::report {

struct BranchOptions {
  stacks::StackFilter filter = {};
  bool relative = false;  // percentages refer to the branches that pass the filter
  // true: sampled branches from SPE; false: branch stacks, which have all branches of some periods
  bool of_spe = false;
  bool lines = false;  // the profile has lines
  u32 rows = 0;
  usize width = 0;  // of the terminal; 0: lines may have any length
};
std::string branches_text(const stacks::StackProfile& profile, const BranchOptions& options);
std::string branches_json(const stacks::StackProfile& profile, const BranchOptions& options);

}  // namespace wperf::report
