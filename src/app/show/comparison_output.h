// SPDX-License-Identifier: BSD-3-Clause
// Shows a comparison: text, JSON, Markdown and the verdict of a gate.
#pragma once
#include <vector>

#include "analysis/compare/run_costs.h"
#include "app/show/compared_runs.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

// The exit status: ExitCode::gate_failed if a condition of --fail-if is met.
diag::Result<int> show_comparison(std::vector<compare::RunCosts> before, std::vector<compare::RunCosts> after,
                                  const ComparisonOptions& options, diag::Console& console);

}  // namespace wperf::show
