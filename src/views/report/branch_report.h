// SPDX-License-Identifier: BSD-3-Clause
// The answer of `report --branches`: which code branches where, how often, and how often the prediction was wrong.
// Pure.
#pragma once
#include <string>

#include "model/stacks/branch_edges.h"

namespace wperf::report {

struct BranchOptions {
  stacks::StackFilter filter = {};
  bool of_spe = false;  // sampled operations; otherwise all branches of a stretch of time
  bool lines = false;   // the profile has lines
  u32 rows = 0;
  usize width = 0;  // the terminal's; with 0 lines may have any length
};
std::string branches_text(const stacks::StackProfile& profile, const BranchOptions& options);
std::string branches_json(const stacks::StackProfile& profile, const BranchOptions& options);

}  // namespace wperf::report
