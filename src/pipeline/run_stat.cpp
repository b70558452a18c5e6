// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_stat.h"

#include "pipeline/measure_counts.h"
#include "pipeline/outputs.h"
#include "report/count_report.h"

namespace wperf::pipeline {
namespace {

diag::Result<void> run_single(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                              const SpawnedProgram& program, diag::Console& console) {
  WPERF_TRY(const MeasuredCount count, measure_count(request, plan, machine, program, console));
  console.out(report::count_text(count.profile, {.verbose = request.outputs.verbose}));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::count_json(count.profile), console);
  if (count.trouble.has_value()) return *count.trouble;
  return {};
}

diag::Result<void> run_timeline(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                                const SpawnedProgram& program, diag::Console& console,
                                const std::vector<TimelineFile>& files) {
  profile::TimelineProfile timeline;
  auto measured = measure_timeline(request, plan, machine, program, console, timeline);
  // What was counted before an error is still written.
  write_timeline_files(timeline, files, console);
  if (request.outputs.json) deliver_json(request.outputs, report::timeline_json(timeline), console);
  return measured;
}

}  // namespace

diag::Result<void> run_stat(const request::Request& request, diag::Console& console) {
  WPERF_TRY(Machine machine, open_machine(request, console));
  WPERF_TRY(plan::CountPlan plan, plan_counts(request, machine));
  std::vector<TimelineFile> files;
  if (request.timeline.enabled) files = timeline_files(request, plan);
  if (request.outputs.verbose) tell_plan(plan, machine, files, console);
  SpawnedProgram program(machine.device->machine());
  WPERF_CHECK_OK(start_program(request, plan, machine, program, console));
  if (request.timeline.enabled) return run_timeline(request, plan, machine, program, console, files);
  return run_single(request, plan, machine, program, console);
}

}  // namespace wperf::pipeline
