// SPDX-License-Identifier: BSD-3-Clause
// The files of both sides of a comparison, each read to the costs of its run: recordings of any form, profiles of other
// programs, counts of `stat --json`.
#pragma once
#include <string>
#include <vector>

#include "analysis/compare/run_costs.h"
#include "app/show/comparison_output.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/output_options.h"
#include "model/stacks/stack_profile.h"

namespace wperf::show {

// In the order of their names, two at a time. Losses in the files are reported on the console, or kept with the costs.
diag::Result<std::vector<compare::RunCosts>> read_compared_runs(const std::vector<std::string>& files,
                                                                const ComparisonOptions& options,
                                                                diag::Console& console);

// The costs of each run of a program, as a file: `bench --save-baseline` writes it, `--baseline` compares with it.
diag::Result<void> write_baseline(const std::vector<compare::RunCosts>& runs, const std::string& file,
                                  const request::Outputs& outputs, diag::Console& console);

diag::Result<std::vector<compare::RunCosts>> read_baseline(const std::string& path);

}  // namespace wperf::show
