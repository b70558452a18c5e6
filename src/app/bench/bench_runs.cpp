// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench/bench_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "analysis/compare/run_checks.h"
#include "analysis/compare/statistics.h"
#include "app/bench/endings.h"
#include "app/bench/round_order.h"
#include "app/measure/counting.h"
#include "app/measure/measure_counts.h"
#include "app/measure/opened_machine.h"
#include "app/measure/recording_run.h"
#include "app/measure/warnings_only_console.h"
#include "app/output/outputs.h"
#include "app/show/comparison_output.h"
#include "ground/os/new_file.h"
#include "ground/os/process.h"
#include "ground/text/number_text.h"
#include "ground/text/parts.h"
#include "machine/plan/count_parts.h"
#include "machine/plan/default_events.h"
#include "machine/plan/sample_plan.h"
#include "model/answers/count_profile.h"
#include "model/request/comparison_request.h"

namespace wperf::bench {
namespace {

using request::kFewestRounds;

constexpr u64 kDefaultRounds = 8;

// The programs to run: both in turn, or a single one.
struct Rounds {
  u64 count = kDefaultRounds, warmup = 0;
  bool runs_before = true, runs_after = true;
};

diag::Error usage(std::string text, std::string hint = "wperf bench -n 8 -- ./old ARGUMENTS --- ./new ARGUMENTS") {
  return diag::usage_error(std::move(text), std::move(hint));
}

diag::Result<Rounds> rounds_of(const BenchOptions& options) {
  const request::Comparison& asked = options.compared.asked;
  const request::Measurement& wanted = options.measured.wanted;
  const bool is_alone = asked.baseline_file.has_value() || asked.kept_baseline.has_value();
  if (!wanted.program.has_value() || (!options.second.has_value() && !is_alone))
    return usage("bench needs two programs: one after --, the other after ---");
  if (asked.baseline_file.has_value() && options.second.has_value())
    return usage("--baseline takes only one program: the baseline is the other side",
                 "wperf bench --baseline FILE -- ./new ARGUMENTS");
  if (is_alone && asked.record_as.has_value())
    return usage("--record needs two programs: a baseline has counts, but no recordings");
  if (!asked.record_as.has_value() && (options.compared.report.pages.wanted() || options.compared.report.folded))
    return usage("--html, --svg and --folded show stacks, which need recordings", "make recordings with --record NAME");
  if (!asked.baseline_file.has_value() && !options.second.has_value() && !asked.conditions.empty())
    return usage("--fail-if has nothing to compare with", "give --baseline FILE, or a second program after ---");
  Rounds rounds{.count = wanted.timeline.count == 0 ? kDefaultRounds : wanted.timeline.count,
                .warmup = asked.warmup,
                .runs_before = !asked.baseline_file.has_value(),
                .runs_after = options.second.has_value() || asked.baseline_file.has_value()};
  if (rounds.count >= kFewestRounds && rounds.count <= request::kMostRounds) return rounds;
  return usage(fmt::format("-n {}: bench needs {} to {} runs of each program; fewer runs cannot show a difference",
                           rounds.count, kFewestRounds, request::kMostRounds));
}

bool tells(const compare::RunCosts& run, std::string_view total) {
  if (total == compare::kElapsed) return run.seconds > 0 && !run.was_stopped;
  if (total == compare::kCpuTime) return run.cpu_seconds > 0 && !run.was_stopped;
  return std::any_of(run.counts.begin(), run.counts.end(), [&](const auto& one) { return one.event == total; });
}

// Checks, before anything runs, that the names in conditions and --per exist. `baseline`: the runs of the side before,
// if these are read from a file.
diag::Result<void> check_names(const BenchOptions& options, std::vector<std::string> totals,
                               const std::vector<compare::RunCosts>& baseline) {
  using Kind = request::FailCondition::Kind;
  const request::Comparison& asked = options.compared.asked;
  const bool records = asked.record_as.has_value();
  totals.insert(totals.begin(), {std::string(compare::kElapsed), std::string(compare::kCpuTime)});
  std::erase_if(totals, [&](const std::string& name) {
    return !std::all_of(baseline.begin(), baseline.end(), [&](const auto& run) { return tells(run, name); });
  });
  const auto is_known = [&](const std::string& name) {
    return std::find(totals.begin(), totals.end(), name) != totals.end();
  };
  for (const request::FailCondition& condition : asked.conditions) {
    const std::string begin = fmt::format("--fail-if '{}': ", condition.text);
    if (condition.kind == Kind::total && condition.name != "*" && !is_known(condition.name))
      return usage(begin + (baseline.empty() ? "no event or total with this name is measured"
                                             : "the baseline and the measured events do not both have this name"),
                   fmt::format("measured: {}; add events with -e EVENTS", text::joined(totals, ", ")));
    if (condition.kind != Kind::total && !records)
      return usage(begin + "conditions on functions, modules and lines need recordings",
                   "make recordings with --record NAME");
    if (condition.kind == Kind::inclusive &&
        options.measured.wanted.sampling.call_stacks.source == request::StackSource::none)
      return usage(begin + "conditions on inclusive cost need call stacks", "add -g");
  }
  if (asked.per.unit == request::CostPer::Unit::counter && !is_known(asked.per.counter))
    return usage(fmt::format("--per {}: no event or total with this name is measured", asked.per.counter),
                 fmt::format("use share, second, run, or one of {}", text::joined(totals, ", ")));
  return {};
}

// Runs one side. If the run ends normally, keeps its costs for this round. `round` is nullopt for a warm-up run.
using RunSide = std::function<diag::Result<void>(bool is_before, std::optional<u64> round)>;

// Each round runs both sides, so that drift affects both. After Ctrl-C only complete rounds count. Returns the number
// of complete rounds.
diag::Result<u64> run_rounds(const BenchOptions& options, const Rounds& rounds, const RunSide& run,
                             diag::Console& console) {
  const u64 all = rounds.warmup + rounds.count;
  const std::vector<bool> begins_before = draw_order(rounds.count);
  u64 whole = 0;
  for (u64 number = 0; number < all && !console.interrupted(); ++number) {
    const bool warms_up = number < rounds.warmup;
    const std::optional<u64> round = warms_up ? std::nullopt : std::optional(number - rounds.warmup);
    for (u64 turn = 0; turn < 2 && !console.interrupted(); ++turn) {
      const bool is_before = begins_before[round.value_or(number % rounds.count)] == (turn == 0);
      if (!(is_before ? rounds.runs_before : rounds.runs_after)) continue;
      if (console.shows_progress()) {
        console.progress(fmt::format("bench: {} {} of {}, {}", warms_up ? "warm-up" : "round",
                                     warms_up ? number + 1 : *round + 1, warms_up ? rounds.warmup : rounds.count,
                                     options.program(is_before).path));
      }
      WPERF_CHECK_OK(run(is_before, round));
    }
    if (!warms_up && !console.interrupted()) whole = *round + 1;
  }
  console.progress("");
  if (whole == rounds.count) return whole;
  if (whole >= kFewestRounds) {
    console.warn(fmt::format("warning: interrupted after {} of {} rounds, which are shown", whole, rounds.count));
    return whole;
  }
  return diag::Error{
      .text = fmt::format("interrupted after {}, too few to show a difference", text::counted(whole, "round")),
      .hint = fmt::format("bench needs at least {} rounds", kFewestRounds)};
}

// With a driver, `stat` without events counts nothing, but for a comparison wperf chooses some events.
void choose_events(const plan::Capabilities& machine, std::vector<request::CountItem>& items) {
  if (items.empty() && machine.kernel == nullptr) items.emplace_back(plan::default_events(machine));
}

// CPU time of a program that has ended.
double cpu_seconds_of(const device::ProcessState& program) {
  return program.has_times ? static_cast<double>(program.user_ns + program.system_ns) / 1e9 : 0;
}

// Hides the output of the programs, because it would appear twice in each round.
void hide_output(const request::Comparison& asked, measure::OpenedMachine& machine) {
  if (!asked.shows_output) machine.device->programs().keep_terminal_free();
}

// Caches, predictors and addresses of a simulated machine depend on the programs that ran before. So counts would
// depend on the position of a run, and their spread would not be random. Each run therefore gets a new simulated
// machine, unless the machine keeps running.
diag::Result<void> renew_simulated(const BenchOptions& options, measure::OpenedMachine& machine) {
  const request::Measurement& wanted = options.measured.wanted;
  if (wanted.device != "sim" && !wanted.device.starts_with("sim:")) return {};
  machine.device.reset();
  WPERF_TRY(machine.device, measure::open_locked_device(wanted));
  WPERF_CHECK_OK(machine.device->capabilities(device::Device::Spe::left_alone));
  hide_output(options.compared.asked, machine);
  return {};
}

std::vector<std::string> names_counted(const plan::CountPlan& plan, const plan::Capabilities& machine) {
  std::vector<std::string> names;
  if (machine.cycle_counters != 0) names.emplace_back("cycle");
  for (const EventClass event_class : kEventClasses) {
    for (const plan::Entry& entry : plan.schedules[index_of(event_class)].entries) {
      std::string name = answers::name_with_class(event_class, entry.name);
      if (!entry.padding && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  return names;
}

// Checks the numbers of runs before anything runs, because with few runs some changes cannot be significant.
diag::Result<void> check_baseline(usize runs, u64 rounds, const std::string& file) {
  auto checked = compare::check_run_counts(runs, static_cast<usize>(rounds));
  if (checked.has_value()) return checked;
  diag::Error refused = std::move(checked).error();
  refused.text = fmt::format("{}: {}", file, refused.text);
  refused.hint = "make a baseline with more runs: wperf bench -n 8 --save-baseline FILE -- PROGRAM";
  return refused;
}

// For a single program: prints the median of its runs, without a comparison.
void print_medians(const std::vector<compare::RunCosts>& runs, const show::ComparisonOptions& options,
                   diag::Console& console) {
  if (!options.prints_text) return;
  const auto stopped = std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run.was_stopped; });
  if (stopped != 0) {
    console.out(fmt::format("{} runs of {}, of which --timeout ended {}, so their times are not costs; written to {}\n",
                            runs.size(), runs.front().file, stopped, *options.asked.kept_baseline));
    return;
  }
  std::vector<double> seconds, cpu_seconds;
  for (const compare::RunCosts& run : runs) {
    seconds.push_back(run.seconds);
    cpu_seconds.push_back(run.cpu_seconds);
  }
  console.out(fmt::format("{} runs of {}: medians: elapsed {}, cpu-time {}; written to {}\n", runs.size(),
                          runs.front().file, text::duration(compare::median_of(seconds)),
                          text::duration(compare::median_of(cpu_seconds)), *options.asked.kept_baseline));
}

diag::Result<int> show_counts(std::vector<compare::RunCosts> before, std::vector<compare::RunCosts> after,
                              const show::ComparisonOptions& options, diag::Console& console) {
  if (options.asked.kept_baseline.has_value()) {
    const std::vector<compare::RunCosts>& kept = after.empty() ? before : after;
    WPERF_CHECK_OK(show::write_baseline(kept, *options.asked.kept_baseline, options.report.outputs, console));
    if (after.empty()) {
      print_medians(kept, options, console);
      return 0;
    }
  }
  return show::show_comparison(std::move(before), std::move(after), options, console);
}

// Each run is counted as by `stat`.
diag::Result<int> count_in_turn(BenchOptions options, const Rounds& rounds, diag::Console& console) {
  request::Measurement& wanted = options.measured.wanted;
  const request::Sampling& sampling = wanted.sampling;
  const request::Comparison& asked = options.compared.asked;
  if (sampling.jitter || sampling.rate_hz.has_value() || sampling.call_stacks.source != request::StackSource::none)
    return usage("--freq, --jitter and -g need recordings; add --record NAME");
  std::vector<compare::RunCosts> before, after;
  if (asked.baseline_file.has_value()) {
    WPERF_TRY(before, show::read_baseline(*asked.baseline_file));
    WPERF_CHECK_OK(check_baseline(before.size(), rounds.count, *asked.baseline_file));
  }
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(wanted, console));
  choose_events(machine.capabilities, wanted.items);
  WPERF_TRY(const plan::CountPlan planned, measure::plan_counts(wanted, machine));
  if (plan::parts_of(planned, machine.capabilities.counted_at_once).size() != 1)
    return usage(fmt::format("only {} events can be counted at once; choose fewer with -e",
                             machine.capabilities.counted_at_once));
  WPERF_CHECK_OK(check_names(options, names_counted(planned, machine.capabilities), before));
  hide_output(asked, machine);
  measure::WarningsOnlyConsole heard(console);
  Endings endings;
  const auto run = [&](bool is_before, std::optional<u64> round) -> diag::Result<void> {
    const measure::MeasureOptions one = options.side(is_before);
    plan::CountPlan plan = planned;
    WPERF_CHECK_OK(renew_simulated(options, machine));
    measure::SpawnedProgram program(machine.device->programs());
    WPERF_CHECK_OK(measure::start_program(one, plan, machine, program, heard));
    const u64 began = machine.device->programs().now_ns();
    WPERF_TRY(measure::MeasuredCount count, measure::measure_count(one, plan, machine, program, heard));
    const u64 ended_at = machine.device->programs().now_ns();
    if (count.error.has_value()) return *count.error;
    if (console.interrupted()) return {};
    const device::ProcessState ended = machine.device->programs().process(program.pid());
    WPERF_CHECK_OK(endings.add(options.program(is_before), is_before, ended));
    if (!round.has_value()) return {};
    compare::RunCosts costs = compare::costs_of(count.profile, options.program(is_before).command_line);
    // Times from drivers are in whole milliseconds.
    if (!count.profile.by_kernel) costs.seconds = static_cast<double>(ended_at - began) / 1e9;
    costs.cpu_seconds = cpu_seconds_of(ended);
    costs.was_stopped = ended.running;
    (is_before ? before : after).push_back(std::move(costs));
    return {};
  };
  WPERF_TRY(const u64 whole, run_rounds(options, rounds, run, console));
  os::release_interrupt();
  endings.warn_of_failed_runs(asked.shows_output, console);
  if (rounds.runs_before) before.resize(whole);
  if (rounds.runs_after) after.resize(whole);
  return show_counts(std::move(before), std::move(after), options.compared, console);
}

// Each run is recorded as by `record`. The files are kept, because `diff` and `report` can show more details.
diag::Result<int> record_in_turn(BenchOptions options, const Rounds& rounds, diag::Console& console) {
  request::Measurement& wanted = options.measured.wanted;
  const request::Comparison& asked = options.compared.asked;
  if (wanted.sampling.spe.has_value()) return usage("bench --record samples events; it does not support SPE");
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(wanted, console));
  measure::WarningsOnlyConsole heard(console);
  // On a deterministic machine all runs would be equal.
  if (machine.capabilities.kernel == nullptr && machine.capabilities.foreign_driver.empty())
    wanted.sampling.jitter = true;
  WPERF_TRY(const plan::SamplePlan planned,
            plan::make_sample_plan(wanted, options.measured.view, machine.capabilities, machine.catalog));
  std::vector<std::string> names;
  for (const plan::SampleEvent& event : planned.events) names.push_back(event.name);
  WPERF_CHECK_OK(check_names(options, std::move(names), {}));
  hide_output(asked, machine);
  Endings endings;
  std::vector<double> cpu_seconds[2];  // before, after
  std::vector<bool> were_stopped[2];
  const auto file_of = [&](bool is_before, u64 round) {
    const std::string name = fmt::format("{}-{}-{}.data", *asked.record_as, is_before ? "before" : "after", round + 1);
    return output::output_path(options.compared.report.outputs, name);
  };
  WPERF_CHECK_OK(os::check_output(file_of(true, 0)));
  const auto run = [&](bool is_before, std::optional<u64> round) -> diag::Result<void> {
    measure::MeasureOptions one = options.side(is_before);
    one.kept_file = file_of(is_before, round.value_or(0));
    one.output_folder.reset();
    WPERF_TRY(const measure::Recording recording, measure::record_samples(one, machine, heard));
    if (recording.error.has_value()) return *recording.error;
    if (console.interrupted()) return {};
    const double ran = cpu_seconds_of(machine.device->programs().process(recording.sampled.pid));
    if (round.has_value()) {
      cpu_seconds[is_before ? 0 : 1].push_back(ran);
      were_stopped[is_before ? 0 : 1].push_back(recording.end == measure::WaitEnd::time);
    }
    const readings::Process* const program = measure::find_process(recording.processes, recording.sampled.pid);
    if (program == nullptr) return {};
    device::ProcessState ended{.running = program->running, .exit_code = program->exit_code};
    ended.signal = machine.device->programs().process(recording.sampled.pid).signal;
    return endings.add(options.program(is_before), is_before, ended);
  };
  WPERF_TRY(const u64 whole, run_rounds(options, rounds, run, console));
  os::release_interrupt();
  endings.warn_of_failed_runs(asked.shows_output, console);
  std::vector<std::string> files_before, files_after;
  for (u64 round = 0; round < whole; ++round) {
    files_before.push_back(file_of(true, round));
    files_after.push_back(file_of(false, round));
  }
  WPERF_TRY(show::ComparedRuns runs, show::read_compared_runs(files_before, files_after, options.compared, console));
  auto& [before, after] = runs;
  // The measured CPU times are used if the recordings have none.
  for (u64 round = 0; round < whole; ++round) {
    if (before[round].cpu_seconds == 0) before[round].cpu_seconds = cpu_seconds[0][round];
    if (after[round].cpu_seconds == 0) after[round].cpu_seconds = cpu_seconds[1][round];
    before[round].was_stopped = were_stopped[0][round];
    after[round].was_stopped = were_stopped[1][round];
  }
  return show::show_comparison(std::move(before), std::move(after), options.compared, console);
}

}  // namespace

const request::Program& BenchOptions::program(bool is_before) const {
  return is_before || !second.has_value() ? *measured.wanted.program : *second;
}

measure::MeasureOptions BenchOptions::side(bool is_before) const {
  measure::MeasureOptions one = measured;
  if (is_before || !second.has_value()) return one;
  one.wanted.program = second;
  one.wanted.pe_file = second->path;
  return one;
}

diag::Result<int> run_in_turn(BenchOptions options, diag::Console& console) {
  WPERF_TRY(const Rounds rounds, rounds_of(options));
  return options.compared.asked.record_as.has_value() ? record_in_turn(std::move(options), rounds, console)
                                                      : count_in_turn(std::move(options), rounds, console);
}

}  // namespace wperf::bench
