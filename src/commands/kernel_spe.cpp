// SPDX-License-Identifier: BSD-3-Clause
#include "commands/kernel_spe.h"

#include <fmt/format.h>

#include "commands/recorded_spe.h"
#include "import/perf_data/aux_traces.h"
#include "measure/collecting.h"
#include "measure/sampled_program.h"
#include "measure/tool.h"
#include "os/mapped_file.h"
#include "plan/sample_plan.h"
#include "plan/spe_plan.h"
#include "recording/spe_trace_records.h"

namespace wperf::commands {
namespace {

constexpr u64 kMostTraceBytes = u64{2} << 30;

// An event of the kernel that never happens: its recording tells of programs, threads and mappings, and nothing else.
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

struct KernelSpeRun {
  measure::Collection collection;
  std::unique_ptr<device::RecordingSession> programs;  // its file lives as long as it does
  std::vector<raw::SpeStatistics> core_statistics;
  u64 elapsed_ns = 0;
};

diag::Result<KernelSpeRun> profile_with_kernel(const request::Request& request, const plan::SpePlan& plan,
                                               measure::Machine& machine, recording::SpeTraceRecords& traces,
                                               diag::Console& console) {
  device::Device& device = *machine.device;
  KernelSpeRun run;
  WPERF_TRY(const auto session, device.open_spe(plan));
  WPERF_TRY(run.programs,
            device.open_recording(plan_of_programs(plan), {.file = {}, .tool_version = measure::tool_version()}));
  WPERF_CHECK_OK(run.programs->start());
  WPERF_CHECK_OK(session->start());
  const u64 start_ns = device.programs().now_ns();
  const raw::SpeSink sink = [&](const raw::SpePiece& piece) { traces.take(piece); };
  const auto drain = [&]() -> diag::Result<measure::Collected> {
    WPERF_CHECK_OK(session->drain(sink));
    return measure::Collected{.amount = traces.taken()};
  };
  const u64 duration_ms = request.duration_ms();
  WPERF_TRY(run.collection, measure::collect_samples(machine, duration_ms, plan.process.value_or(0), console,
                                                     measure::kSpeDrainNs, drain));
  WPERF_CHECK_OK(session->stop());
  run.elapsed_ns = device.programs().now_ns() - start_ns;
  WPERF_CHECK_OK(session->drain(sink));
  WPERF_CHECK_OK(run.programs->stop());
  measure::tell_collected(run.collection, console);
  run.core_statistics = session->core_statistics();
  return run;
}

void add_losses(const std::vector<raw::SpeStatistics>& core_statistics, profile::SpeProfile& profile) {
  for (const raw::SpeStatistics& statistics : core_statistics) {
    for (profile::SpeCore& core : profile.cores) {
      if (core.core != statistics.core) continue;
      core.full = statistics.full;
      core.collisions = statistics.collisions;
      core.data_losses = statistics.data_losses;
    }
  }
}

}  // namespace

diag::Result<KernelSpe> measure_kernel_spe(const request::Request& request, measure::Machine& machine,
                                           diag::Console& console) {
  WPERF_TRY(plan::SpePlan plan, plan::make_spe_plan(request, machine.capabilities));
  measure::SpawnedProgram program(machine.device->programs());
  WPERF_TRY(const measure::SampledProgram sampled,
            measure::start_or_find(request, plan.program_core, machine, program));
  if (sampled.pid != 0) plan.process = sampled.pid;
  recording::SpeTraceRecords traces(kMostTraceBytes);
  WPERF_TRY(KernelSpeRun run, profile_with_kernel(request, plan, machine, traces, console));
  if (traces.left_out() != 0) {
    console.warn(
        fmt::format("warning: {} bytes of SPE data were left out: {} is what is kept; use a longer interval, or "
                    "--timeout",
                    traces.left_out(), traces.taken()));
  }
  if (traces.taken() == 0) {
    return diag::Error{.text = "SPE wrote no record in that time",
                       .hint = "the program may be too short, or filters leave nothing over"};
  }

  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(run.programs->readable_path()));
  WPERF_TRY(perf_data::PerfFile file, perf_data::PerfFile::open(mapped.bytes()));
  const perf_data::Bytes programs = file.record_bytes();
  std::string records(reinterpret_cast<const char*>(programs.data()), programs.size());
  records += traces.records();
  file.replace_records(std::as_bytes(std::span(records)));
  request::Request read = request;
  read.data_file = sampled.pe_file;
  KernelSpe measured;
  WPERF_TRY(ReadSpe recorded, read_recorded_spe(file, perf_data::AuxTraces::collect(file), read, console));
  measured.profile = std::move(recorded.profile);
  constexpr double kNanosecondsPerSecond = 1e9;
  measured.profile.samples.elapsed_seconds = static_cast<double>(run.elapsed_ns) / kNanosecondsPerSecond;
  add_losses(run.core_statistics, measured.profile);
  measured.trouble = std::move(run.collection.trouble);
  if (!measured.trouble.has_value()) measured.trouble = std::move(recorded.trouble);
  if (request.program.has_value() && run.collection.end == measure::WaitEnd::program_ended) {
    measured.status = measure::status_of_program(machine, machine.device->programs().process(program.pid()));
  }
  return measured;
}

}  // namespace wperf::commands
