// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/bench/bench_runs.h"
#include "app/commands/commands.h"
#include "app/commands/options_builder.h"
#include "model/request/comparison_wishes.h"

namespace wperf::commands {
namespace {

diag::Error usage(std::string text, std::string hint = "wperf bench -n 8 -- ./old ARGUMENTS --- ./new ARGUMENTS") {
  return {.text = std::move(text), .hint = std::move(hint), .code = diag::ExitCode::usage};
}

diag::Result<bench::Rounds> rounds_of(const request::Request& request) {
  const request::Comparison& asked = request.comparison;
  const bool is_alone = asked.baseline_file.has_value() || asked.kept_baseline.has_value();
  if (!request.program.has_value() || (!request.second_program.has_value() && !is_alone))
    return usage("bench needs two programs: one after --, the other after ---");
  if (asked.baseline_file.has_value() && request.second_program.has_value())
    return usage("--baseline takes only one program: the baseline is the other side",
                 "wperf bench --baseline FILE -- ./new ARGUMENTS");
  if (is_alone && asked.record_as.has_value())
    return usage("--record needs two programs: a baseline has counts, but no recordings");
  if (!asked.baseline_file.has_value() && !request.second_program.has_value() && !asked.conditions.empty())
    return usage("--fail-if has nothing to compare with", "give --baseline FILE, or a second program after ---");
  bench::Rounds rounds{.count = request.timeline.count == 0 ? bench::kDefaultRounds : request.timeline.count,
                       .warmup = asked.warmup,
                       .runs_before = !asked.baseline_file.has_value(),
                       .runs_after = request.second_program.has_value() || asked.baseline_file.has_value()};
  if (rounds.count >= request::kFewestRounds && rounds.count <= request::kMostRounds) return rounds;
  return usage(fmt::format("-n {}: bench needs {} to {} runs of each program; fewer runs cannot show a difference",
                           rounds.count, request::kFewestRounds, request::kMostRounds));
}

}  // namespace

diag::Result<int> run_bench(const request::Request& asked, diag::Console& console) {
  WPERF_TRY(const bench::Rounds rounds, rounds_of(asked));
  request::Request request = asked;
  request.command = asked.comparison.record_as.has_value() ? request::Command::record : request::Command::stat;
  return bench::run_in_turn({.rounds = rounds,
                             .measured = measure_options(request),
                             .second = request.second_program,
                             .compared = comparison_options(request, console)},
                            console);
}

}  // namespace wperf::commands
