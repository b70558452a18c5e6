// SPDX-License-Identifier: BSD-3-Clause
// `bench`: runs one or two programs in turn, counts or records each run, and compares the costs.
#pragma once
#include <optional>

#include "app/measure/measure_options.h"
#include "app/show/compared_runs.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::bench {

struct BenchOptions {
  measure::MeasureOptions measured;  // for the program before; the number of rounds is in the timeline options
  std::optional<request::Program> second = {};
  show::ComparisonOptions compared;

  const request::Program& program(bool is_before) const;
  measure::MeasureOptions side(bool is_before) const;
};

// Returns the exit status: ExitCode::gate_failed if a condition of --fail-if is met.
diag::Result<int> run_in_turn(BenchOptions options, diag::Console& console);

}  // namespace wperf::bench
