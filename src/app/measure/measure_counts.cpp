// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/measure_counts.h"

#include <fmt/format.h>

#include "app/measure/count_profile_builder.h"
#include "app/measure/test_report.h"
#include "ground/text/base_name.h"
#include "views/report/tool_reports.h"

namespace wperf::measure {
namespace {

answers::CountProfile profile_of(const plan::CountPlan& plan, const OpenedMachine& machine,
                                 const CountOutcome& outcome) {
  answers::CountProfile profile = build_count_profile(plan, machine.capabilities, machine.catalog, outcome.capture);
  if (machine.capabilities.kernel == nullptr) {
    profile.remarks.insert(profile.remarks.begin(), outcome.remarks.begin(), outcome.remarks.end());
  }
  return profile;
}

// Suggests what to count if the user named nothing: a metric of this machine, or else a command line that works.
std::string what_to_count(const OpenedMachine& machine) {
  if (machine.capabilities.kernel != nullptr)
    return "`wperf stat -- PROGRAM` counts the most useful events; choose others with -e";
  const auto& metrics = machine.catalog.metrics;
  if (metrics.empty()) return "choose events with -e; `wperf list` shows them";
  const plan::MetricDefinition* imix = machine.catalog.find_metric("imix");
  return fmt::format("try -m {}; `wperf list` shows the metrics for -m and the events for -e",
                     imix != nullptr ? imix->name : metrics.front().name);
}

// Adds facts from the system about the program to the counts.
void describe_program(const request::Measurement& wanted, OpenedMachine& machine, const SpawnedProgram& program,
                      answers::CountProfile& profile) {
  if (!profile.by_kernel || program.pid() == 0) return;
  for (const readings::Process& process : machine.device->programs().processes()) {
    if (process.pid == program.pid()) profile.program = text::base_name(process.image);
  }
  const device::ProcessState state = machine.device->programs().process(program.pid());
  if (!wanted.program.has_value() || !state.has_times) return;
  profile.user_seconds = static_cast<double>(state.user_ns) / 1e9;
  profile.system_seconds = static_cast<double>(state.system_ns) / 1e9;
}

}  // namespace

diag::Result<plan::CountPlan> plan_counts(const request::Measurement& wanted, OpenedMachine& machine) {
  WPERF_TRY(plan::CountPlan plan, plan::make_count_plan(wanted, machine.capabilities, machine.catalog));
  if (plan.has_events()) return plan;
  return diag::Error{
      .text = "no event specified", .hint = what_to_count(machine), .code = diag::ExitCode::no_event, .verbatim = true};
}

void print_plan(const plan::CountPlan& plan, const OpenedMachine& machine,
                const std::vector<output::TimelineFile>& files, diag::Console& console) {
  for (const output::TimelineFile& file : files) console.out("timeline file: '" + file.path + "'\n");
  console.out(report::schedule_text(test_report_of(plan, machine.capabilities)));
}

diag::Result<void> start_program(const MeasureOptions& options, plan::CountPlan& plan, OpenedMachine& machine,
                                 SpawnedProgram& program, diag::Console& console) {
  const request::Measurement& wanted = options.wanted;
  if (wanted.process.has_value()) return program.follow(*wanted.process);
  if (!wanted.program.has_value()) return {};
  WPERF_CHECK_OK(program.start(options, plan.program_core));
  if (plan.of_program) plan.process = program.pid();
  if (options.verbose) console.out(fmt::format("{} pid is {}\n", wanted.program->path, program.pid()));
  return let_start_up(wanted, machine, program.pid());
}

diag::Result<MeasuredCount> measure_count(const MeasureOptions& options, const plan::CountPlan& plan,
                                          OpenedMachine& machine, const SpawnedProgram& program,
                                          diag::Console& console) {
  WPERF_TRY(const CountOutcome outcome, count_once(machine, plan, options.wanted.duration_ms(), program, console));
  MeasuredCount count;
  count.profile = profile_of(plan, machine, outcome);
  trace_counters(count.profile);
  describe_program(options.wanted, machine, program, count.profile);
  count.error = outcome.error;
  if (options.verbose && options.wanted.program.has_value() && program.ended()) {
    console.out(fmt::format("{} ended with exit code {:#x}\n", options.wanted.program->path, program.exit_code()));
  }
  return count;
}

diag::Result<std::unique_ptr<CountSection>> CountSection::begin(plan::CountPlan plan, OpenedMachine& machine,
                                                                diag::Console& console) {
  std::unique_ptr<CountSection> section(new CountSection(std::move(plan), machine));
  WPERF_TRY(section->session_, machine.device->open_count(section->plan_));
  for (const std::string& remark : section->session_->remarks()) console.warn(remark);
  section->begun_ = std::chrono::steady_clock::now();
  section->machine_begun_ns_ = machine.device->programs().now_ns();
  WPERF_CHECK_OK(section->session_->start());
  return section;
}

// Time on a simulated machine passes only while its client waits.
diag::Result<void> CountSection::let_time_pass() {
  device::Programs& programs = machine_.device->programs();
  if (programs.now_ns() != machine_begun_ns_) return {};
  const auto passed = std::chrono::steady_clock::now() - begun_;
  return programs.wait(static_cast<u64>(std::chrono::nanoseconds(passed).count()), 0);
}

diag::Result<answers::CountProfile> CountSection::end() {
  WPERF_CHECK_OK(let_time_pass());
  WPERF_CHECK_OK(session_->stop());
  CountOutcome outcome;
  WPERF_TRY(outcome.capture, session_->read());
  outcome.remarks = session_->remarks();
  answers::CountProfile profile = profile_of(plan_, machine_, outcome);
  trace_counters(profile);
  return profile;
}

MeasuredTimeline measure_timeline(const MeasureOptions& options, const plan::CountPlan& plan, OpenedMachine& machine,
                                  const SpawnedProgram& program, diag::Console& console) {
  const request::Measurement& wanted = options.wanted;
  const request::Timeline& line = wanted.timeline;
  MeasuredTimeline measured;
  answers::TimelineProfile& timeline = measured.profile;
  timeline.duration_seconds = static_cast<double>(wanted.duration_ms()) / 1000.0;
  timeline.interval_seconds = static_cast<double>(line.interval.milliseconds) / 1000.0;
  timeline.requested_counts = line.count;
  u64 first_ns = 0;
  // Returns false after the last count.
  const auto count = [&](bool is_first) -> diag::Result<bool> {
    WPERF_TRY(const CountOutcome outcome, count_once(machine, plan, wanted.duration_ms(), program, console));
    const readings::CountCapture& capture = outcome.capture;
    if (is_first) first_ns = capture.start_ns;
    timeline.spans.push_back({capture.start_ns - first_ns, capture.end_ns - first_ns});
    timeline.counts.push_back(profile_of(plan, machine, outcome));
    trace_counters(timeline.counts.back());
    if (outcome.error.has_value()) return *outcome.error;
    if (outcome.end == WaitEnd::interrupted) return false;
    WPERF_TRY(const WaitEnd end, pause_between_counts(machine, line.interval.milliseconds, program, console));
    return end == WaitEnd::time && !program.ended();
  };
  for (u64 n = 0; line.count == 0 || n < line.count; ++n) {
    const diag::Result<bool> goes_on = count(n == 0);
    if (!goes_on.has_value()) measured.error = goes_on.error();
    if (!goes_on.has_value() || !goes_on.value()) break;
  }
  return measured;
}

void for_each_counter(const answers::CountProfile& profile, const std::function<void(const os::CounterEvent&)>& visit) {
  for (const answers::ClassCounts& counts : profile.classes) {
    for (const answers::CountUnit& unit : counts.units) {
      for (const answers::CountRow& row : unit.rows) {
        visit({.core = unit.number,
               .event = row.name,
               .index = row.code.has_value() ? u32{*row.code} : os::kFixedCycleIndex,
               .note = row.note,
               .value = row.value});
      }
    }
  }
}

void trace_counters(const answers::CountProfile& profile) {
  if (os::counter_events_wanted()) for_each_counter(profile, os::write_counter_event);
}

}  // namespace wperf::measure
