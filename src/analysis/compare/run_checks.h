// SPDX-License-Identifier: BSD-3-Clause
// Checks whether the runs of two sides can show a change.
#pragma once
#include <vector>

#include "analysis/compare/run_costs.h"
#include "ground/diag/result.h"

namespace wperf::compare {

// If all recordings of a side have exactly the same samples, keeps only one of them: a deterministic machine does not
// show how runs differ, however often it is recorded. Returns true if copies were removed.
bool remove_identical_runs(std::vector<RunCosts>& before, std::vector<RunCosts>& after);

// Returns an error if there are so few runs that no change could be significant.
diag::Result<void> check_run_counts(usize before, usize after);

}  // namespace wperf::compare
