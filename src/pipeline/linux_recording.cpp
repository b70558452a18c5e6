// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/linux_recording.h"

#include "pipeline/outputs.h"
#include "pipeline/tool_version.h"

namespace wperf::pipeline {

std::string kept_recording(const request::Request& request) {
  const std::optional<std::string>& named = request.sampling.perf_data_file;
  if (named.has_value()) return output_path(request.outputs, *named);
  return request.sampling.perf_data ? output_path(request.outputs, "perf.data") : std::string();
}

diag::Result<Recording> record_once(const request::Request& request, Machine& machine, plan::SamplePlan plan,
                                    const SampledProgram& sampled, diag::Console& console) {
  if (sampled.pid != 0) plan.process = sampled.pid;
  device::Channel& channel = machine.device->machine();
  const device::RecordingTarget target{.file = kept_recording(request), .tool_version = tool_version()};
  Recording recording;
  SamplingOutcome& outcome = recording.outcome;
  WPERF_TRY(recording.session, machine.device->open_recording(plan, target));
  if (request.outputs.verbose) {
    for (const std::string& remark : recording.session->remarks()) console.out("note: " + remark + "\n");
  }
  outcome.plan = std::move(plan);
  WPERF_CHECK_OK(recording.session->start());
  outcome.capture.start_ns = channel.now_ns();
  const auto written = [&]() -> diag::Result<u64> { return recording.session->written(); };
  const u64 duration_ms = request.duration_ms();
  WPERF_TRY(outcome.collection, collect_samples(machine, duration_ms, sampled.pid, console, kSampleDrainNs, written));
  WPERF_CHECK_OK(recording.session->stop());
  outcome.capture.end_ns = channel.now_ns();
  tell_collected(outcome.collection, console);
  if (recording.session->trouble().has_value()) outcome.collection.trouble = recording.session->trouble();
  outcome.capture.processes = channel.processes();
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(recording.session->readable_path()));
  recording.mapped = std::make_unique<os::MappedFile>(std::move(mapped));
  WPERF_TRY(recording.file, perf_data::PerfFile::open(recording.mapped->bytes()));
  return recording;
}

}  // namespace wperf::pipeline
