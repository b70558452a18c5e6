// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench/bench_runs.h"
#include "app/commands/commands.h"
#include "app/commands/options_builder.h"

namespace wperf::commands {

diag::Result<int> run_bench(const request::Request& asked, diag::Console& console) {
  request::Request request = asked;
  request.command = asked.comparison.record_as.has_value() ? request::Command::record : request::Command::stat;
  return bench::run_in_turn({.measured = measure_options(request),
                             .second = request.second_program,
                             .compared = comparison_options(request, console)},
                            console);
}

}  // namespace wperf::commands
