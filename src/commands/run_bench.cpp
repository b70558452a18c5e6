// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "commands/commands.h"
#include "commands/compared_output.h"
#include "commands/compared_runs.h"
#include "commands/quiet_console.h"
#include "measure/counting.h"
#include "measure/machine.h"
#include "measure/measure_counts.h"
#include "measure/recording_run.h"
#include "os/new_file.h"
#include "output/outputs.h"
#include "plan/count_parts.h"
#include "plan/default_events.h"
#include "profile/count_profile.h"

namespace wperf::commands {
namespace {

constexpr u64 kDefaultRounds = 8, kFewestRounds = 4, kMostRounds = 1000;

diag::Error usage(std::string text) {
  return {.text = std::move(text),
          .hint = "wperf bench -n 8 -e inst_retired -- ./old ARGUMENTS --- ./new ARGUMENTS",
          .code = diag::ExitCode::usage};
}

diag::Result<u64> rounds_of(const request::Request& request) {
  if (!request.program.has_value() || !request.second_program.has_value())
    return usage("bench runs two programs in turn: one behind --, the other behind ---");
  const u64 rounds = request.timeline.count == 0 ? kDefaultRounds : request.timeline.count;
  if (rounds >= kFewestRounds && rounds <= kMostRounds) return rounds;
  return usage(fmt::format("-n {}: bench takes {} to {} runs of each program; fewer can show nothing", rounds,
                           kFewestRounds, kMostRounds));
}

// The sum over all cores of each event, wherever it was counted.
compare::RunCosts costs_of(const profile::CountProfile& profile, const std::string& name) {
  compare::RunCosts costs;
  costs.file = name;
  costs.seconds = profile.elapsed_seconds;
  for (const profile::ClassCounts& counts : profile.classes) {
    for (const profile::CountUnit& unit : counts.units) {
      std::set<std::string_view> seen_here;
      for (const profile::CountRow& row : unit.rows) {
        if (!row.counted() || !seen_here.insert(row.name).second) continue;
        const auto known = std::find_if(costs.counts.begin(), costs.counts.end(),
                                        [&](const compare::ExactCount& one) { return one.event == row.name; });
        const auto value = static_cast<double>(row.scaled);
        if (known != costs.counts.end()) {
          known->value += value;
        } else {
          costs.counts.push_back({row.name, value});
        }
      }
    }
  }
  return costs;
}

// Runs one side, and keeps what it cost if it was run to its end.
using RunSide = std::function<diag::Result<void>(bool is_before, u64 round)>;

// Each round runs both; who is first changes, so that what drifts drifts for both. Ctrl-C keeps whole rounds: as many
// as are answered.
diag::Result<u64> run_rounds(const request::Request& request, u64 rounds, const RunSide& run, diag::Console& console) {
  u64 whole = 0;
  for (u64 round = 0; round < rounds && !console.interrupted(); ++round) {
    for (u64 turn = 0; turn < 2 && !console.interrupted(); ++turn) {
      const bool is_before = (round + turn) % 2 == 0;
      if (console.shows_progress()) {
        console.progress(fmt::format("bench: run {} of {}, {}", 2 * round + turn + 1, 2 * rounds,
                                     is_before ? request.program->path : request.second_program->path));
      }
      WPERF_CHECK_OK(run(is_before, round));
      if (turn == 1 && !console.interrupted()) whole = round + 1;
    }
  }
  console.progress("");
  if (whole == rounds) return whole;
  if (whole >= kFewestRounds) {
    console.warn(fmt::format("warning: interrupted: {} of {} rounds were run, and are shown", whole, rounds));
    return whole;
  }
  return diag::Error{.text = fmt::format("interrupted: {} whole rounds can show nothing", whole),
                     .hint = fmt::format("at least {} are needed", kFewestRounds)};
}

// A program that crashes costs little: what both cost is compared only where they end alike.
class Endings {
 public:
  diag::Result<void> add(const request::Request& side, bool is_before, const device::ProcessState& program) {
    if (program.running) return {};
    status_[is_before ? 0 : 1] = program.exit_code;
    name_[is_before ? 0 : 1] = side.program->path;
    if (!status_[0].has_value() || !status_[1].has_value() || *status_[0] == *status_[1]) return {};
    return diag::Error{.text = fmt::format("{} ended with status {} and {} with {}: what they cost is not compared",
                                           name_[0], *status_[0], name_[1], *status_[1]),
                       .hint = "run each of them alone and see why"};
  }

 private:
  std::optional<u32> status_[2];
  std::string name_[2];
};

request::Request of_side(const request::Request& both, bool is_before) {
  request::Request request = both;
  if (is_before) return request;
  request.program = both.second_program;
  request.pe_file = request.program->path;
  return request;
}

// `stat` counts nothing of a driver where nothing is named; two programs to compare are worth a choice of ours.
void choose_events(const plan::Capabilities& machine, request::Request& request) {
  if (request.items.empty() && machine.kernel == nullptr) request.items.emplace_back(plan::default_events(machine));
}

// Each run is what `stat` does.
diag::Result<int> count_in_turn(const request::Request& asked, u64 rounds, diag::Console& console) {
  const request::Sampling& sampling = asked.sampling;
  if (sampling.jitter || sampling.rate_hz.has_value() || sampling.call_stacks.source != request::StackSource::none)
    return usage("--freq, --jitter and -g are about recordings: --record NAME makes them");
  request::Request request = asked;
  request.command = request::Command::stat;
  WPERF_TRY(measure::Machine machine, measure::open_machine(request, console));
  choose_events(machine.capabilities, request);
  WPERF_TRY(const plan::CountPlan planned, measure::plan_counts(request, machine));
  if (plan::parts_of(planned, machine.capabilities.counted_at_once).size() != 1)
    return usage(
        fmt::format("{} events are counted at once here: name fewer with -e", machine.capabilities.counted_at_once));
  QuietConsole heard(console);
  std::vector<compare::RunCosts> before, after;
  Endings endings;
  const auto run = [&](bool is_before, u64) -> diag::Result<void> {
    const request::Request one = of_side(request, is_before);
    plan::CountPlan plan = planned;
    measure::SpawnedProgram program(machine.device->programs());
    WPERF_CHECK_OK(measure::start_program(one, plan, machine, program, heard));
    WPERF_TRY(measure::MeasuredCount count, measure::measure_count(one, plan, machine, program, heard));
    if (count.trouble.has_value()) return *count.trouble;
    if (console.interrupted()) return {};
    WPERF_CHECK_OK(endings.add(one, is_before, machine.device->programs().process(program.pid())));
    (is_before ? before : after).push_back(costs_of(count.profile, one.program->command_line));
    return {};
  };
  WPERF_TRY(const u64 whole, run_rounds(request, rounds, run, console));
  before.resize(whole);
  after.resize(whole);
  return show_comparison(std::move(before), std::move(after), request, console);
}

// Each run is what `record` does. The files stay: `diff` and `report` show more of them.
diag::Result<int> record_in_turn(const request::Request& asked, u64 rounds, diag::Console& console) {
  request::Request request = asked;
  request.command = request::Command::record;
  // Both do the same work, so costs are comparable as they are.
  request::CostPer& per = request.comparison.per;
  if (per.unit == request::CostPer::Unit::automatic) per.unit = request::CostPer::Unit::run;
  if (request.sampling.spe.has_value()) return usage("bench --record samples events, not SPE");
  WPERF_TRY(measure::Machine machine, measure::open_machine(request, console));
  QuietConsole heard(console);
  // Runs of a machine that repeats itself would be copies.
  if (machine.capabilities.kernel == nullptr && machine.capabilities.foreign_driver.empty())
    request.sampling.jitter = true;
  Endings endings;
  const auto file_of = [&](bool is_before, u64 round) {
    const std::string name =
        fmt::format("{}-{}-{}.data", *request.comparison.record_as, is_before ? "before" : "after", round + 1);
    return output::output_path(request.outputs, name);
  };
  WPERF_CHECK_OK(os::check_output(file_of(true, 0)));
  const auto run = [&](bool is_before, u64 round) -> diag::Result<void> {
    request::Request one = of_side(request, is_before);
    one.sampling.perf_data = true;
    one.sampling.perf_data_file = file_of(is_before, round);
    one.outputs.directory.reset();
    WPERF_TRY(const measure::Recording recording, measure::record_samples(one, machine, heard));
    if (recording.trouble.has_value()) return *recording.trouble;
    if (console.interrupted()) return {};
    const raw::Process* const program = measure::find_process(recording.processes, recording.sampled.pid);
    if (program == nullptr) return {};
    return endings.add(one, is_before, {.running = program->running, .exit_code = program->exit_code});
  };
  WPERF_TRY(const u64 whole, run_rounds(request, rounds, run, console));
  std::vector<std::string> files;
  for (const bool is_before : {true, false}) {
    for (u64 round = 0; round < whole; ++round) files.push_back(file_of(is_before, round));
  }
  WPERF_TRY(std::vector<compare::RunCosts> before, read_compared_runs(files, request, console));
  std::vector<compare::RunCosts> after(before.begin() + static_cast<std::ptrdiff_t>(whole), before.end());
  before.resize(whole);
  return show_comparison(std::move(before), std::move(after), request, console);
}

}  // namespace

diag::Result<int> run_bench(const request::Request& asked, diag::Console& console) {
  WPERF_TRY(const u64 rounds, rounds_of(asked));
  return asked.comparison.record_as.has_value() ? record_in_turn(asked, rounds, console)
                                                : count_in_turn(asked, rounds, console);
}

}  // namespace wperf::commands
