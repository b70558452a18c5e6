// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_stat.h"

#include <fmt/format.h>

#include "os/files.h"
#include "pipeline/count_profile_builder.h"
#include "pipeline/counting.h"
#include "pipeline/outputs.h"
#include "pipeline/run_machine.h"
#include "pipeline/timeline_files.h"
#include "report/count_report.h"
#include "report/small_reports.h"

namespace wperf::pipeline {
namespace {

diag::Result<void> start_program(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                                 SpawnedProgram& program, diag::Console& console) {
  if (!request.program.has_value()) return {};
  WPERF_CHECK_OK(program.start(*request.program, plan.cores.front()));
  if (request.outputs.verbose) console.out(fmt::format("{} pid is {}\n", request.program->path, program.pid()));
  if (request.spawn_delay_ms.value_or(0) == 0) return {};
  return machine.device->machine().wait(u64{*request.spawn_delay_ms} * 1'000'000, program.pid());
}

diag::Result<void> run_single(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                              const SpawnedProgram& program, diag::Console& console) {
  const u64 duration_ms = request.timeout.value_or(request::Duration{}).milliseconds;
  WPERF_TRY(const CountOutcome outcome, count_once(machine, plan, duration_ms, program, console));
  const profile::CountProfile profile =
      build_count_profile(plan, machine.capabilities, machine.vocabulary, outcome.capture);
  if (request.outputs.verbose && program.ended()) {
    console.out(fmt::format("{} ended with exit code {:#x}\n", request.program->path, program.exit_code()));
  }
  console.out(report::count_text(profile, {.verbose = request.outputs.verbose}));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::count_json(profile), console);
  if (outcome.trouble.has_value()) return *outcome.trouble;
  return {};
}

diag::Result<void> collect_timeline(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                                    const SpawnedProgram& program, diag::Console& console,
                                    profile::TimelineProfile& timeline) {
  const u64 duration_ms = request.timeout.value_or(request::Duration{}).milliseconds;
  for (u64 n = 0; request.timeline.count == 0 || n < request.timeline.count; ++n) {
    WPERF_TRY(const CountOutcome outcome, count_once(machine, plan, duration_ms, program, console));
    timeline.counts.push_back(build_count_profile(plan, machine.capabilities, machine.vocabulary, outcome.capture));
    if (outcome.trouble.has_value()) return *outcome.trouble;
    if (outcome.end == WaitEnd::interrupted) return {};
    WPERF_TRY(const WaitEnd end,
              pause_between_counts(machine, request.timeline.interval.milliseconds, program, console));
    if (end != WaitEnd::time || program.ended()) return {};
  }
  return {};
}

diag::Result<void> run_timeline(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                                const SpawnedProgram& program, diag::Console& console,
                                const std::vector<TimelineFile>& files) {
  profile::TimelineProfile timeline;
  timeline.duration_seconds = static_cast<double>(request.timeout.value_or(request::Duration{}).milliseconds) / 1000.0;
  timeline.interval_seconds = static_cast<double>(request.timeline.interval.milliseconds) / 1000.0;
  timeline.requested_counts = request.timeline.count;
  auto collected = collect_timeline(request, plan, machine, program, console, timeline);
  // What was counted before an error is still written.
  for (const TimelineFile& file : files) {
    if (!os::save_text_file(file.path, report::timeline_csv(timeline, file.event_class)).has_value()) {
      console.warn("Unable to open " + file.path);
    }
  }
  if (request.outputs.json) deliver_json(request.outputs, report::timeline_json(timeline), console);
  return collected;
}

}  // namespace

diag::Result<void> run_stat(const request::Request& request, diag::Console& console) {
  WPERF_TRY(Machine machine, open_machine(request, console));
  WPERF_TRY(const plan::CountPlan plan, plan::make_count_plan(request, machine.capabilities, machine.vocabulary));
  if (!plan.has_events()) {
    return diag::Error{.text = "no event specified", .hint = {}, .code = diag::ExitCode::no_event, .verbatim = true};
  }
  std::vector<TimelineFile> files;
  if (request.timeline.enabled) files = timeline_files(request, plan);
  if (request.outputs.verbose) {
    for (const TimelineFile& file : files) console.out("timeline file: '" + file.path + "'\n");
    console.out(report::schedule_text(test_report_of(plan, machine.capabilities)));
  }
  SpawnedProgram program(machine.device->machine());
  WPERF_CHECK_OK(start_program(request, plan, machine, program, console));
  if (request.timeline.enabled) return run_timeline(request, plan, machine, program, console, files);
  return run_single(request, plan, machine, program, console);
}

}  // namespace wperf::pipeline
