// SPDX-License-Identifier: BSD-3-Clause
// The costs of each run of a program, as a file: `bench --save-baseline` writes it, `--baseline` compares with it.
#pragma once
#include <string>
#include <vector>

#include "analysis/compare/run_costs.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/output_options.h"

namespace wperf::show {

diag::Result<void> write_baseline(const std::vector<compare::RunCosts>& runs, const std::string& file,
                                  const request::Outputs& outputs, diag::Console& console);

diag::Result<std::vector<compare::RunCosts>> read_baseline(const std::string& path);

}  // namespace wperf::show
