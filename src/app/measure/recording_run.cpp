// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/recording_run.h"

#include <fmt/format.h>

#include "analysis/recording/live_unwinding.h"
#include "analysis/recording/trace_ids.h"
#include "analysis/recording/trace_recording.h"
#include "analysis/recording/trace_sources.h"
#include "app/measure/sample_recorder.h"
#include "app/measure/sampling.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "code/modules/symbol_folders.h"
#include "formats/etl/trace.h"
#include "formats/perf_data/run_facts.h"
#include "ground/os/files.h"
#include "ground/os/output_file.h"
#include "ground/text/number_text.h"
#include "views/report/sample_report.h"

namespace wperf::measure {

std::string kept_recording(const request::Request& request) {
  const std::optional<std::string>& named = request.sampling.perf_data_file;
  if (named.has_value()) return output::output_path(request.outputs, *named);
  if (!request.sampling.perf_data) return {};
  return output::output_path(request.outputs, std::string(output::kUsualRecording));
}

request::Request with_kept_file(request::Request request) {
  std::optional<std::string>& output = request.outputs.json_file;
  if (!output.has_value() || (!output->ends_with(".data") && !output->ends_with(".etl"))) return request;
  request.sampling.perf_data = true;
  request.sampling.perf_data_file.swap(output);
  output.reset();
  return request;
}

diag::Result<int> status_of_recording(const request::Request& request, Machine& machine, const Recording& recording) {
  if (recording.trouble.has_value()) return *recording.trouble;
  if (!request.program.has_value() || recording.end != WaitEnd::program_ended) return 0;
  const readings::Process* program = find_process(recording.processes, recording.sampled.pid);
  if (program == nullptr) return 0;
  return status_of_program(machine, {.running = program->running, .exit_code = program->exit_code});
}

namespace {

diag::Result<void> keep_recording(std::span<const std::byte> bytes, const std::string& path) {
  WPERF_TRY(os::OutputFile file, os::OutputFile::create(path, os::Readers::owner));
  file.write(bytes);
  return file.close();
}

// Memory of the parts that were read is released at once: most of a long recording never has to be in memory.
diag::Result<void> open_recording(Recording& recording) {
  WPERF_TRY(recording.file, perf_data::PerfFile::open(recording.mapped->bytes()));
  recording.file.tell_what_is_passed(
      [mapped = recording.mapped.get()](u64 begin, u64 end) { mapped->release(begin, end); });
  return {};
}

// The system's own kernel samples into a file (docs/decisions/0007).
diag::Result<void> record_with_kernel(const request::Request& request, Machine& machine, Recording& recording,
                                      diag::Console& console) {
  const u32 pid = recording.sampled.pid;
  if (pid != 0 && !request.sampling.whole_machine) recording.plan.process = pid;
  device::RecordingTarget target = target_of_session(request, recording);
  target.filter = live_filter(request, recording.plan);
  WPERF_TRY(recording.session, machine.device->open_recording(recording.plan, target));
  WPERF_CHECK_OK(recording.session->start());
  if (request.outputs.verbose) {
    for (const std::string& remark : recording.session->remarks()) console.out("note: " + remark + "\n");
  }
  const auto written = [&]() -> diag::Result<Collected> {
    WPERF_TRY(const u64 bytes, recording.session->written());
    return Collected{.amount = bytes};
  };
  auto collected = collect_samples(machine, request.duration_ms(), pid, console, kSampleDrainNs, written);
  // If another program ended the session, the samples until then are shown.
  Collection collection;
  if (collected.has_value()) {
    collection = std::move(collected).value();
  } else {
    collection.trouble = std::move(collected).error();
  }
  return finish_session(request, machine, std::move(collection), recording, console);
}

void tell_lost_stacks(const readings::SampleCapture& capture, diag::Console& console) {
  u64 lost = 0, cut = 0;
  for (const readings::CoreStatistics& statistics : capture.core_statistics) {
    lost += statistics.lost_stacks;
    cut += statistics.cut_stacks;
  }
  if (lost != 0) console.warn(fmt::format("{} samples have no callers, because the buffer for them was full", lost));
  if (cut != 0) console.warn(fmt::format("{} samples have more callers than --max-stack records", cut));
}

// Tells a user who forgot the program, or did not know that it is needed, within the first second.
void tell_whole_machine(const request::Request& request, const SampledProgram& sampled, diag::Console& console) {
  if (sampled.pid != 0) return;
  const u64 length_ms = request.duration_ms();
  console.out(length_ms != 0
                  ? fmt::format("recording the whole machine for {} s; press Ctrl-C to stop earlier\n",
                                text::fixed(static_cast<double>(length_ms) / 1000, length_ms % 1000 == 0 ? 0 : 2))
                  : std::string("recording the whole machine; press Ctrl-C to stop\n"));
}

// With a driver that hands out samples.
diag::Result<void> record_with_driver(const request::Request& request, Machine& machine, Recording& recording,
                                      diag::Console& console) {
  // Samples of such a driver have no process: they are attributed to the program that was put on their core.
  if (!machine.capabilities.foreign_driver.empty()) recording.plan.process = recording.sampled.pid;
  const modules::SymbolOptions symbols = modules::symbol_options(request);
  console.out(report::sample_start_text(target_before(machine.device->programs(), recording.sampled, symbols),
                                        recording.sampled.pe_file, request.outputs.verbose));
  WPERF_CHECK_OK(create_own_file(recording));
  std::optional<SampleRecorder> recorder;
  const SampleSink sink{.begin = [&](const plan::SamplePlan& plan) -> diag::Result<void> {
                          recording.plan = plan;
                          recorder.emplace(recording.plan, *recording.own);
                          return {};
                        },
                        .take = [&](readings::SampleCapture& capture) { recorder->take(capture); }};
  WPERF_TRY(SamplingOutcome outcome,
            sample_once(machine, recording.plan, request.duration_ms(), recording.sampled.pid, console, sink));
  tell_lost_stacks(outcome.capture, console);
  recorder->finish(outcome.capture, machine.capabilities, request.arguments, recording.sampled);
  recording.end = outcome.collection.end;
  recording.trouble = std::move(outcome.collection.trouble);
  recording.processes = std::move(outcome.capture.processes);
  return finish_own_file(request, recording);
}

}  // namespace

std::shared_ptr<perf_data::RecordFilter> live_filter(const request::Request& request, const plan::SamplePlan& plan) {
  if (plan.call_stacks.source != request::StackSource::automatic) return nullptr;
  return std::make_shared<recording::LiveUnwinding>(
      modules::ElfSearch{.folders = modules::symbol_folders(request), .lines = false});
}

device::RecordingTarget target_of_session(const request::Request& request, const Recording& recording) {
  const std::string kept = kept_recording(request);
  device::RecordingTarget target{.file = os::is_pipe_or_device(kept) ? std::string() : kept,
                                 .tool_version = tool_version()};
  target.run.image_name = recording.sampled.image_name;
  target.run.pe_file = recording.sampled.pe_file;
  target.run.process = recording.sampled.pid;
  target.run.note = recording.plan.note;
  return target;
}

diag::Result<void> finish_session(const request::Request& request, Machine& machine, Collection collection,
                                  Recording& recording, diag::Console& console) {
  WPERF_CHECK_OK(recording.session->stop());
  tell_collected(collection, console);
  recording.end = collection.end;
  recording.trouble = std::move(collection.trouble);
  if (recording.session->trouble().has_value()) recording.trouble = recording.session->trouble();
  recording.processes = machine.device->programs().processes();
  if (recording.session->is_trace()) {
    recording.trace = recording.session->readable_path();
    // Without them it is good on this machine still.
    recording::TraceAdditions additions{.volumes = recording.session->volumes(), .losses = {}};
    for (const auto& [begin_ns, end_ns, events, buffers] : recording.session->losses()) {
      additions.losses.push_back({.begin_ns = begin_ns, .end_ns = end_ns, .events = events, .buffers = buffers});
    }
    const auto named = recording::add_image_ids(recording.trace, additions);
    if (!named.has_value() && !recording.trouble.has_value()) recording.trouble = named.error();
    recording.size = os::file_size(recording.trace);
    return {};
  }
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(recording.session->readable_path()));
  recording.mapped = std::make_unique<os::MappedFile>(std::move(mapped));
  const auto bytes = recording.mapped->bytes();
  recording.size = bytes.size();
  if (const std::string kept = kept_recording(request); os::is_pipe_or_device(kept)) {
    auto whole = keep_recording(bytes, kept);
    if (!whole.has_value() && !recording.trouble.has_value()) recording.trouble = std::move(whole).error();
  }
  return open_recording(recording);
}

diag::Result<void> create_own_file(Recording& recording) {
  WPERF_TRY(os::RecordingFile created, os::RecordingFile::create({}));
  recording.own = std::make_unique<os::RecordingFile>(std::move(created));
  return {};
}

diag::Result<void> finish_own_file(const request::Request& request, Recording& recording) {
  recording.own->close();
  if (recording.own->trouble().has_value()) recording.trouble = recording.own->trouble();
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(recording.own->openable_path()));
  recording.mapped = std::make_unique<os::MappedFile>(std::move(mapped));
  const auto bytes = recording.mapped->bytes();
  recording.size = bytes.size();
  if (const std::string kept = kept_recording(request); !kept.empty()) {
    const auto whole = keep_recording(bytes, kept);
    if (!whole.has_value() && !recording.trouble.has_value()) recording.trouble = whole.error();
  }
  return open_recording(recording);
}

diag::Result<recording::RecordedSwitches> read_trace(Recording& recording, const recording::TraceWishes& wishes) {
  recording::TraceSources sources;
  WPERF_TRY(recording::RecordingInput input, recording::RecordingInput::open(recording.trace));
  WPERF_CHECK_OK(sources.add(std::move(input), recording.trace));
  WPERF_TRY(const etl::Trace trace, sources.open([](u64) {}));
  WPERF_TRY(recording::TraceRecording made, recording::recording_of_trace(trace, tool_version(), wishes));
  recording.trace_losses = recording::trace_facts(trace, made);
  recording.own = std::make_unique<os::RecordingFile>(std::move(made.file));
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(recording.own->openable_path()));
  recording.mapped = std::make_unique<os::MappedFile>(std::move(mapped));
  WPERF_CHECK_OK(open_recording(recording));
  return std::move(made.switches);
}

diag::Result<Recording> record_samples(const request::Request& request, Machine& machine, diag::Console& console) {
  WPERF_TRY(const plan::SamplePlan plan, plan::make_sample_plan(request, machine.capabilities, machine.catalog));
  SpawnedProgram program(machine.device->programs());
  WPERF_TRY(const SampledProgram sampled, start_or_find(request, plan.program_core, machine, program, console));
  if (machine.capabilities.kernel != nullptr) tell_whole_machine(request, sampled, console);
  return record_sampled(request, plan, sampled, machine, console);
}

diag::Result<Recording> record_sampled(const request::Request& request, const plan::SamplePlan& plan,
                                       const SampledProgram& sampled, Machine& machine, diag::Console& console) {
  Recording recording;
  recording.plan = plan;
  recording.sampled = sampled;
  WPERF_CHECK_OK(machine.capabilities.kernel != nullptr ? record_with_kernel(request, machine, recording, console)
                                                        : record_with_driver(request, machine, recording, console));
  return recording;
}

}  // namespace wperf::measure
