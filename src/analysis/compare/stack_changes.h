// SPDX-License-Identifier: BSD-3-Clause
// The call stacks of both sides in one tree, for flame graphs and folded stacks. Pure.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/matching.h"
#include "analysis/compare/run_costs.h"
#include "ground/diag/result.h"

namespace wperf::compare {

// A function, called by the function of its parent node.
struct StackChange {
  u32 parent = stacks::kNothing;
  u32 unit = stacks::kNothing;                // index over all runs
  std::string name = {}, module = {};         // as on the side after, if it has the function
  double before = 0, after = 0;               // in the chosen unit, including callees; mean over the runs of a side
  u64 samples_before = 0, samples_after = 0;  // without callees, over all runs
};

struct StackChanges {
  std::string event;
  Per per = Per::run;
  CostUnit unit = CostUnit::count;
  std::vector<StackChange> nodes;  // the first one is the root; parents come before children
};

// Merges two nodes if the comparison matched their functions and their callers are also merged. Returns an error if the
// runs have different events, or no stacks.
diag::Result<StackChanges> merge_stacks(std::span<const RunCosts> before, std::span<const RunCosts> after,
                                        const MatchedUnits& matched, const ComparisonOptions& options);

// "main;parse 120 180", one line for each stack: samples before and after, in the form that scripts for differential
// flame graphs read.
std::string folded_changes(const StackChanges& changes);

}  // namespace wperf::compare
