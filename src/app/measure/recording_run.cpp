// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/recording_run.h"

#include <fmt/format.h>

#include "analysis/recording/live_unwinding.h"
#include "analysis/recording/sampled_recording.h"
#include "analysis/recording/trace_additions.h"
#include "analysis/recording/trace_sources.h"
#include "app/measure/python_host.h"
#include "app/measure/sampling.h"
#include "app/measure/tool.h"
#include "code/modules/symbol_folders.h"
#include "formats/etl/trace.h"
#include "formats/perf_data/run_facts.h"
#include "ground/os/files.h"
#include "ground/os/output_file.h"
#include "ground/text/number_text.h"
#include "views/report/sample_report.h"

namespace wperf::measure {

diag::Result<int> status_of_recording(const request::Measurement& wanted, OpenedMachine& machine,
                                      const Recording& recording, diag::Console& console) {
  if (recording.error.has_value()) return *recording.error;
  if (!wanted.program.has_value() || recording.end != WaitEnd::program_ended) return 0;
  const readings::Process* program = find_process(recording.processes, recording.sampled.pid);
  if (program == nullptr) return 0;
  device::ProcessState state{.running = program->running, .exit_code = program->exit_code};
  if (!state.running) state.signal = machine.device->programs().process(recording.sampled.pid).signal;
  return status_of_program(wanted, machine, state, console);
}

namespace {

diag::Result<void> keep_recording(std::span<const std::byte> bytes, const std::string& path) {
  WPERF_TRY(os::OutputFile file, os::OutputFile::create(path, os::Readers::owner));
  file.write(bytes);
  return file.close();
}

// Frees the memory of parts that were read, so that a long recording is never completely in memory.
diag::Result<void> open_recording(Recording& recording) {
  auto opened = perf_data::PerfFile::open(recording.mapped->bytes());
  // A file that could not be written completely is often unreadable; then returns the error of the writer, which is the
  // cause.
  if (!opened.has_value()) return recording.error.has_value() ? *recording.error : std::move(opened).error();
  recording.file = std::move(opened).value();
  recording.file.on_passed([mapped = recording.mapped.get()](u64 begin, u64 end) { mapped->release(begin, end); });
  return {};
}

// Lets the kernel of the system sample into a file (docs/decisions/0007).
diag::Result<void> record_with_kernel(const MeasureOptions& options, OpenedMachine& machine, Recording& recording,
                                      diag::Console& console) {
  const u32 pid = recording.sampled.pid;
  if (pid != 0 && !options.wanted.sampling.whole_machine) recording.plan.process = pid;
  device::RecordingTarget target = target_of_session(options, recording);
  target.filter = live_filter(options.wanted, recording.plan);
  WPERF_TRY(recording.session, machine.device->open_recording(recording.plan, target));
  const request::PythonFrames frames = recording.plan.call_stacks.python;
  if (recording.session->is_trace() && frames != request::PythonFrames::none)
    recording.trace_python = std::make_unique<TracePython>(frames, machine.device->programs());
  WPERF_CHECK_OK(recording.session->start());
  if (options.verbose) {
    for (const std::string& remark : recording.session->remarks()) console.out("note: " + remark + "\n");
  }
  const auto written = [&]() -> diag::Result<Collected> {
    WPERF_TRY(const u64 bytes, recording.session->written());
    return Collected{.amount = bytes};
  };
  auto collected = collect_samples(machine, {options.wanted.duration_ms(), pid}, {kSampleDrainNs, written}, console);
  if (!collected.has_value() && !machine.device->programs().has_started(pid)) return std::move(collected).error();
  // If another program ended the session, the samples before that are shown.
  Collection collection;
  if (collected.has_value()) {
    collection = std::move(collected).value();
  } else {
    collection.error = std::move(collected).error();
  }
  return finish_session(options.kept_file, machine, std::move(collection), recording, console);
}

void warn_of_lost_stacks(const readings::SampleCapture& capture, diag::Console& console) {
  u64 lost = 0, cut = 0;
  for (const readings::CoreStatistics& statistics : capture.core_statistics) {
    lost += statistics.lost_stacks;
    cut += statistics.cut_stacks;
  }
  if (lost != 0) console.warn(fmt::format("{} samples have no callers, because the buffer for them was full", lost));
  if (cut != 0) console.warn(fmt::format("{} samples have more callers than --max-stack records", cut));
}

// Tells users who forgot to name a program, at the start, that the whole machine is recorded.
void print_whole_machine_note(u64 length_ms, diag::Console& console) {
  console.out(length_ms != 0
                  ? fmt::format("recording the whole machine for {} s; press Ctrl-C to stop earlier\n",
                                text::fixed(static_cast<double>(length_ms) / 1000, length_ms % 1000 == 0 ? 0 : 2))
                  : std::string("recording the whole machine; press Ctrl-C to stop\n"));
}

// Used with a driver that returns samples.
diag::Result<void> record_with_driver(const MeasureOptions& options, OpenedMachine& machine, Recording& recording,
                                      diag::Console& console) {
  // Samples of this driver have no process, so they are attributed to the program on their core.
  if (!machine.capabilities.foreign_driver.empty()) recording.plan.process = recording.sampled.pid;
  const modules::SymbolOptions symbols = modules::symbol_options(options.wanted);
  console.out(report::sample_start_text(target_before(machine.device->programs(), recording.sampled, symbols),
                                        recording.sampled.pe_file, options.verbose));
  WPERF_CHECK_OK(create_own_file(recording));
  std::optional<DriverPython> python;
  const request::PythonFrames frames = recording.plan.call_stacks.python;
  if (frames != request::PythonFrames::none) python.emplace(frames, machine.device->programs());
  std::optional<SampleRecorder> recorder;
  const SampleSink sink{.begin = [&](const plan::SamplePlan& plan) -> diag::Result<void> {
                          recording.plan = plan;
                          recorder.emplace(recording.plan, *recording.own_file,
                                           python.has_value() ? &*python : nullptr);
                          return {};
                        },
                        .take =
                            [&](readings::SampleCapture& capture) {
                              SampleRecords records;
                              records.take(recording.plan, capture, python.has_value() ? &*python : nullptr);
                              recorder->append(records);
                            }};
  WPERF_TRY(SamplingOutcome outcome,
            sample_once(machine, recording.plan, {options.wanted.duration_ms(), recording.sampled.pid}, console, sink));
  warn_of_lost_stacks(outcome.capture, console);
  recorder->finish(outcome.capture, machine.capabilities, options.arguments, recording.sampled);
  recording.end = outcome.collection.end;
  recording.error = std::move(outcome.collection.error);
  recording.processes = std::move(outcome.capture.processes);
  return finish_own_file(recording, options.kept_file);
}

}  // namespace

std::shared_ptr<perf_data::RecordFilter> live_filter(const request::Measurement& wanted, const plan::SamplePlan& plan) {
  if (plan.call_stacks.source != request::StackSource::automatic) return nullptr;
  return std::make_shared<recording::LiveUnwinding>(
      modules::ElfSearch{.folders = modules::symbol_folders(wanted), .lines = false}, plan.call_stacks.python);
}

device::RecordingTarget target_of_session(const MeasureOptions& options, const Recording& recording) {
  device::RecordingTarget target{.file = os::is_pipe_or_device(options.kept_file) ? std::string() : options.kept_file,
                                 .tool_version = tool_version(),
                                 .arguments = options.arguments};
  target.run.image_name = recording.sampled.image_name;
  target.run.pe_file = recording.sampled.pe_file;
  target.run.process = recording.sampled.pid;
  target.run.note = recording.plan.note;
  return target;
}

namespace {

diag::Result<void> add_to_trace(recording::TraceAdditions additions, Recording& recording, diag::Console& console) {
  perf_data::RunFacts run;
  if (!recording.of_whole_machine) run.process = recording.sampled.pid;
  if (recording.trace_python != nullptr) {
    WPERF_CHECK_OK(recording.trace_python->add_to(additions, recording.trace));
    run.python = recording.trace_python->samples();
    if (!recording.trace_python->has_found_python()) console.warn(std::string("note: ").append(kNoPython));
    recording.trace_python.reset();
  }
  if (run.process != 0 || !run.python.versions.empty())
    additions.sections.emplace_back(perf_data::kRunFactsFeature, perf_data::run_facts_bytes(run));
  WPERF_TRY(recording.trace_children, recording::complete_trace(recording.trace, additions));
  return {};
}

}  // namespace

diag::Result<void> finish_session(const std::string& kept_file, OpenedMachine& machine, Collection collection,
                                  Recording& recording, diag::Console& console) {
  WPERF_CHECK_OK(recording.session->stop());
  print_end_of_collection(collection, machine, console);
  recording.end = collection.end;
  recording.error = std::move(collection.error);
  if (recording.session->error().has_value()) recording.error = recording.session->error();
  recording.processes = machine.device->programs().processes();
  if (recording.session->is_trace()) {
    recording.trace = recording.session->readable_path();
    // The additions are needed only on other machines; on this machine the trace can be read without them.
    recording::TraceAdditions additions{.volumes = recording.session->volumes(), .losses = {}};
    for (const auto& [begin_ns, end_ns, events, buffers] : recording.session->losses()) {
      additions.losses.push_back({.begin_ns = begin_ns, .end_ns = end_ns, .events = events, .buffers = buffers});
    }
    const auto added = add_to_trace(std::move(additions), recording, console);
    if (!added.has_value() && !recording.error.has_value()) recording.error = added.error();
    recording.size = os::file_size(recording.trace);
    return {};
  }
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(recording.session->readable_path()));
  recording.mapped = std::make_unique<os::MappedFile>(std::move(mapped));
  const auto bytes = recording.mapped->bytes();
  recording.size = bytes.size();
  if (os::is_pipe_or_device(kept_file)) {
    auto whole = keep_recording(bytes, kept_file);
    if (!whole.has_value() && !recording.error.has_value()) recording.error = std::move(whole).error();
  }
  return open_recording(recording);
}

diag::Result<void> create_own_file(Recording& recording) {
  WPERF_TRY(os::RecordingFile created, os::RecordingFile::create({}));
  recording.own_file = std::make_unique<os::RecordingFile>(std::move(created));
  return {};
}

diag::Result<void> finish_own_file(Recording& recording, const std::string& kept_file) {
  recording.own_file->close();
  if (recording.own_file->error().has_value()) recording.error = recording.own_file->error();
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(recording.own_file->openable_path()));
  recording.mapped = std::make_unique<os::MappedFile>(std::move(mapped));
  const auto bytes = recording.mapped->bytes();
  recording.size = bytes.size();
  if (!kept_file.empty()) {
    const auto whole = keep_recording(bytes, kept_file);
    if (!whole.has_value() && !recording.error.has_value()) recording.error = whole.error();
  }
  return open_recording(recording);
}

diag::Result<recording::RecordedSwitches> read_trace(Recording& recording,
                                                     const recording::TraceConversionOptions& options) {
  recording::TraceSources sources;
  WPERF_TRY(recording::RecordingInput input, recording::RecordingInput::open(recording.trace));
  WPERF_CHECK_OK(sources.add(std::move(input), recording.trace));
  WPERF_TRY(const etl::Trace trace, sources.open([](u64) {}));
  WPERF_TRY(recording::ConvertedTrace converted, recording::convert_trace(trace, tool_version(), options, {}));
  recording.trace_losses = std::move(converted.facts);
  recording.own_file = std::make_unique<os::RecordingFile>(std::move(converted.recording.file));
  recording.mapped = std::move(converted.mapped);
  WPERF_CHECK_OK(open_recording(recording));
  return std::move(converted.recording.switches);
}

diag::Result<Recording> record_samples(const MeasureOptions& options, OpenedMachine& machine, diag::Console& console) {
  WPERF_TRY(const plan::SamplePlan plan,
            plan::make_sample_plan(options.wanted, options.view, machine.capabilities, machine.catalog));
  SpawnedProgram program(machine.device->programs());
  WPERF_TRY(const SampledProgram sampled, start_or_find(options, plan.program_core, machine, program, console));
  if (machine.capabilities.kernel != nullptr && sampled.pid == 0)
    print_whole_machine_note(options.wanted.duration_ms(), console);
  return record_sampled(options, plan, sampled, machine, console);
}

diag::Result<Recording> record_sampled(const MeasureOptions& options, const plan::SamplePlan& plan,
                                       const SampledProgram& sampled, OpenedMachine& machine, diag::Console& console) {
  Recording recording;
  recording.plan = plan;
  recording.sampled = sampled;
  recording.of_whole_machine = options.wanted.sampling.whole_machine;
  WPERF_CHECK_OK(machine.capabilities.kernel != nullptr ? record_with_kernel(options, machine, recording, console)
                                                        : record_with_driver(options, machine, recording, console));
  return recording;
}

}  // namespace wperf::measure
