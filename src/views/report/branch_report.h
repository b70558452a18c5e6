// SPDX-License-Identifier: BSD-3-Clause
// The answer of `report --branches`: which code branches where, how often, and how often it was mispredicted. Pure.
#pragma once
#include <string>

#include "model/stacks/branch_edges.h"

namespace wperf::report {

struct BranchOptions {
  stacks::StackFilter filter = {};
  bool relative = false;  // percentages refer to the branches that pass the filter
  bool of_spe = false;    // true: the branches are a sample, from SPE; false: all branches of some periods
  bool lines = false;     // the profile has lines
  u32 rows = 0;
  usize width = 0;  // of the terminal; 0: lines may have any length
};
std::string branches_text(const stacks::StackProfile& profile, const BranchOptions& options);
std::string branches_json(const stacks::StackProfile& profile, const BranchOptions& options);

}  // namespace wperf::report
