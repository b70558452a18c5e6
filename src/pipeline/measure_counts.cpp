// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/measure_counts.h"

#include <fmt/format.h>

#include "pipeline/count_profile_builder.h"
#include "pipeline/counter_trace.h"
#include "pipeline/run_machine.h"
#include "report/small_reports.h"

namespace wperf::pipeline {
namespace {

diag::Result<void> collect(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                           const SpawnedProgram& program, diag::Console& console, profile::TimelineProfile& timeline) {
  for (u64 n = 0; request.timeline.count == 0 || n < request.timeline.count; ++n) {
    WPERF_TRY(const CountOutcome outcome, count_once(machine, plan, request.duration_ms(), program, console));
    timeline.counts.push_back(build_count_profile(plan, machine.capabilities, machine.vocabulary, outcome.capture));
    trace_counters(timeline.counts.back());
    if (outcome.trouble.has_value()) return *outcome.trouble;
    if (outcome.end == WaitEnd::interrupted) return {};
    WPERF_TRY(const WaitEnd end,
              pause_between_counts(machine, request.timeline.interval.milliseconds, program, console));
    if (end != WaitEnd::time || program.ended()) return {};
  }
  return {};
}

}  // namespace

diag::Result<plan::CountPlan> plan_counts(const request::Request& request, Machine& machine) {
  WPERF_TRY(plan::CountPlan plan, plan::make_count_plan(request, machine.capabilities, machine.vocabulary));
  if (plan.has_events()) return plan;
  return diag::Error{.text = "no event specified", .hint = {}, .code = diag::ExitCode::no_event, .verbatim = true};
}

void tell_plan(const plan::CountPlan& plan, const Machine& machine, const std::vector<TimelineFile>& files,
               diag::Console& console) {
  for (const TimelineFile& file : files) console.out("timeline file: '" + file.path + "'\n");
  console.out(report::schedule_text(test_report_of(plan, machine.capabilities)));
}

diag::Result<void> start_program(const request::Request& request, plan::CountPlan& plan, Machine& machine,
                                 SpawnedProgram& program, diag::Console& console) {
  if (request.process.has_value()) return program.follow(*request.process);
  if (!request.program.has_value()) return {};
  WPERF_CHECK_OK(program.start(*request.program, plan.program_core));
  if (plan.of_program) plan.process = program.pid();
  if (request.outputs.verbose) console.out(fmt::format("{} pid is {}\n", request.program->path, program.pid()));
  return let_start_up(request, machine, program.pid());
}

diag::Result<MeasuredCount> measure_count(const request::Request& request, const plan::CountPlan& plan,
                                          Machine& machine, const SpawnedProgram& program, diag::Console& console) {
  WPERF_TRY(const CountOutcome outcome, count_once(machine, plan, request.duration_ms(), program, console));
  MeasuredCount count;
  count.profile = build_count_profile(plan, machine.capabilities, machine.vocabulary, outcome.capture);
  trace_counters(count.profile);
  count.trouble = outcome.trouble;
  if (request.outputs.verbose && program.ended()) {
    console.out(fmt::format("{} ended with exit code {:#x}\n", request.program->path, program.exit_code()));
  }
  return count;
}

diag::Result<void> measure_timeline(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                                    const SpawnedProgram& program, diag::Console& console,
                                    profile::TimelineProfile& timeline) {
  timeline.duration_seconds = static_cast<double>(request.duration_ms()) / 1000.0;
  timeline.interval_seconds = static_cast<double>(request.timeline.interval.milliseconds) / 1000.0;
  timeline.requested_counts = request.timeline.count;
  return collect(request, plan, machine, program, console, timeline);
}

}  // namespace wperf::pipeline
