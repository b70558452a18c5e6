// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/kernel_spe_recording.h"

#include <fmt/format.h>

#include "analysis/recording/spe_trace_records.h"
#include "machine/plan/spe_plan.h"

namespace wperf::measure {
namespace {

constexpr u64 kMostTraceBytes = u64{2} << 30;

// An event of the kernel that never happens: its recording has only programs, threads and mappings.
plan::SamplePlan plan_of_programs(const plan::SpePlan& plan) {
  constexpr u32 kSoftware = 1;
  constexpr u64 kDummy = 9;
  plan::SampleEvent event;
  event.name = "dummy";
  event.interval = 1;
  event.kernel_event = plan::KernelEvent{.type = kSoftware, .config = kDummy, .cores = {}};
  plan::SamplePlan programs;
  programs.events.push_back(std::move(event));
  programs.cores = plan.cores;
  programs.program_core = plan.program_core;
  programs.process = plan.process;
  programs.kernel = plan.kernel;
  return programs;
}

void add_losses(const std::vector<readings::SpeStatistics>& core_statistics, perf_data::RunFacts& run) {
  for (const readings::SpeStatistics& statistics : core_statistics) {
    run.spe_cores.push_back({.core = statistics.core,
                             .full = statistics.full,
                             .collisions = statistics.collisions,
                             .data_losses = statistics.data_losses});
  }
}

}  // namespace

diag::Result<Recording> record_kernel_spe(const MeasureOptions& options, Machine& machine, diag::Console& console) {
  Recording recording;
  WPERF_TRY(plan::SpePlan plan, plan::make_spe_plan(options.wanted, options.view, machine.capabilities));
  SpawnedProgram program(machine.device->programs());
  WPERF_TRY(recording.sampled, start_or_find(options, plan.program_core, machine, program, console));
  if (recording.sampled.pid != 0) plan.process = recording.sampled.pid;
  recording::SpeTraceRecords traces(kMostTraceBytes);
  WPERF_TRY(const auto session, machine.device->open_spe(plan));
  device::RecordingTarget target = target_of_session(options.kept_file, recording);
  target.traced = {.event = "arm_spe_0",
                   .interval = plan.interval,
                   .finish = [&](u32 unit_type, std::string& records, perf_data::RunFacts& run) {
                     records = traces.records(unit_type);
                     add_losses(session->core_statistics(), run);
                   }};
  recording.plan = plan_of_programs(plan);
  WPERF_TRY(recording.session, machine.device->open_recording(recording.plan, target));
  WPERF_CHECK_OK(recording.session->start());
  WPERF_CHECK_OK(session->start());
  const readings::SpeSink sink = [&](const readings::SpePiece& piece) { traces.take(piece); };
  const auto drain = [&]() -> diag::Result<Collected> {
    WPERF_CHECK_OK(session->drain(sink));
    return Collected{.amount = traces.taken()};
  };
  WPERF_TRY(Collection collection, collect_samples(machine, {options.wanted.duration_ms(), plan.process.value_or(0)},
                                                   {kSpeDrainNs, drain}, console));
  WPERF_CHECK_OK(session->stop());
  WPERF_CHECK_OK(session->drain(sink));
  WPERF_CHECK_OK(finish_session(options.kept_file, machine, std::move(collection), recording, console));
  if (traces.left_out() != 0) {
    console.warn(
        fmt::format("warning: {} bytes of SPE data were dropped, because wperf keeps at most {}; use a longer "
                    "interval, or --timeout",
                    traces.left_out(), traces.taken()));
  }
  if (traces.taken() == 0) {
    return diag::Error{.text = "SPE wrote no records",
                       .hint = "the program may be too short, or the filters exclude everything"};
  }
  return recording;
}

}  // namespace wperf::measure
