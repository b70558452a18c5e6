// SPDX-License-Identifier: BSD-3-Clause
// What changed between two sides of runs, as one HTML file: a flame graph of both sides, a table of what changed and
// how sure that is, and all of it as plain HTML for who has no scripts. Pure. Called by commands.
#pragma once
#include <string>

#include "analysis/compare/comparison.h"
#include "analysis/compare/stack_changes.h"

namespace wperf::html {

struct DifferencePageOptions {
  u32 rows = 50;                // of each table that is read without scripts
  std::string version = {};     // of the tool
  std::string totals_per = {};  // as in DiffOptions
};

std::string difference_page(const compare::Comparison& comparison, const compare::StackChanges& changes,
                            const DifferencePageOptions& options);

}  // namespace wperf::html
