// SPDX-License-Identifier: BSD-3-Clause
// The output of a comparison: text, JSON, Markdown, and the verdict of a gate.
#pragma once
#include <vector>

#include "analysis/compare/run_costs.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/comparison_wishes.h"

namespace wperf::show {

// The options of a comparison, made once from the request (commands/options_builder.h).
struct ComparisonOptions {
  ReportOptions report = {};        // `read`: how each recording is read
  request::Comparison asked = {};   // sides, unit of costs, conditions, files
  bool is_told = true;              // text is printed
  bool stdout_is_document = false;  // no other text may be printed there
};

// The exit status: ExitCode::gate_failed where a condition of --fail-if is met.
diag::Result<int> show_comparison(std::vector<compare::RunCosts> before, std::vector<compare::RunCosts> after,
                                  const ComparisonOptions& options, diag::Console& console);

}  // namespace wperf::show
