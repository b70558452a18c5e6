// SPDX-License-Identifier: BSD-3-Clause
// The changes between two sides of runs as one HTML file: a flame graph of both sides, a table of the changes with
// their significance, and the same as plain HTML for browsers without scripts. Pure.
#pragma once
#include <string>

#include "analysis/compare/comparison.h"
#include "analysis/compare/stack_changes.h"

namespace wperf::html {

struct DifferencePageOptions {
  u32 rows = 50;                // for each table of the part without scripts
  std::string version = {};     // version of wperf
  std::string totals_per = {};  // see DiffOptions
};

std::string difference_page(const compare::Comparison& comparison, const compare::StackChanges& changes,
                            const DifferencePageOptions& options);

}  // namespace wperf::html
