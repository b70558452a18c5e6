// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/spe_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "analysis/recording/spe_trace_records.h"
#include "app/measure/collecting.h"
#include "app/measure/python_host.h"
#include "app/measure/recording_run.h"
#include "app/measure/spe_counts.h"
#include "app/measure/spe_python.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/format.h"
#include "formats/perf_data/record_bytes.h"
#include "ground/os/files.h"
#include "ground/os/output_file.h"
#include "machine/plan/spe_plan.h"
#include "views/report/sample_report.h"

namespace wperf::measure {
namespace {

constexpr u64 kMostTraceBytes = u64{2} << 30;

// A kernel event that never occurs, so the recording only has programs, threads and mappings.
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

diag::Result<Recording> record_kernel_spe(const MeasureOptions& options, OpenedMachine& machine,
                                          diag::Console& console) {
  Recording recording;
  WPERF_TRY(plan::SpePlan plan, plan::make_spe_plan(options.wanted, options.view, machine.capabilities));
  SpawnedProgram program(machine.device->programs());
  WPERF_TRY(recording.sampled, start_or_find(options, plan.program_core, machine, program, console));
  if (recording.sampled.pid != 0) plan.process = recording.sampled.pid;
  recording::SpeTraceRecords traces(kMostTraceBytes);
  WPERF_TRY(const auto session, machine.device->open_spe(plan));
  device::RecordingTarget target = target_of_session(options, recording);
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

// Writes the driver's bytes unchanged, one file for each core: `spe.data` if there is one core, otherwise spe.0.data
// and so on. If the recording itself has such a name, this file is not written, because the recording also has the
// bytes.
class ByteFiles {
 public:
  ByteFiles(const MeasureOptions& options, bool several) : options_(options), several_(several) {}

  void write(const readings::SpePiece& piece) {
    auto found = files_.find(piece.core);
    if (found == files_.end()) {
      std::string path = several_ ? fmt::format("spe.{}.data", piece.core) : "spe.data";
      if (options_.output_folder.has_value()) path = os::join_path(*options_.output_folder, path);
      if (os::would_be_one_file(path, options_.kept_file)) return;
      found = files_.emplace(piece.core, create(path)).first;
    }
    if (found->second.has_value()) found->second.value().write(piece.bytes);
  }
  // A file that cannot be created only causes a warning, because the user did not name it.
  diag::Result<void> close(diag::Console& console) {
    diag::Result<void> first_failure;
    for (auto& [core, file] : files_) {
      if (!file.has_value()) {
        console.warn("warning: " + file.error().text);
        continue;
      }
      auto closed = file.value().close();
      if (first_failure.has_value()) first_failure = std::move(closed);
    }
    return first_failure;
  }

 private:
  static diag::Result<os::OutputFile> create(const std::string& path) {
    const auto earlier = os::MappedFile::open(path);
    if (earlier.has_value() && perf_data::PerfFile::open(earlier.value().bytes()).has_value())
      return diag::Error{.text = path + " is a recording, so the raw bytes of SPE were not written there", .hint = {}};
    return os::OutputFile::create(path, os::Readers::owner);
  }

  const MeasureOptions& options_;
  bool several_;
  std::map<u32, diag::Result<os::OutputFile>> files_;
};

struct SpeOutcome {
  Collection collection;
  u64 start_ns = 0, end_ns = 0;
  std::vector<readings::SpeStatistics> core_statistics;
  std::optional<perf_data::CountedFacts> counted;
};

diag::Result<SpeOutcome> profile_once(const plan::SpePlan& plan, OpenedMachine& machine, const StopCondition& until,
                                      diag::Console& console, const readings::SpeSink& sink) {
  SpeOutcome outcome;
  device::Device& device = *machine.device;
  const plan::CountPlan counts = population_plan(plan, machine.capabilities);
  std::unique_ptr<device::CountSession> counting;
  if (counts.schedules[index_of(EventClass::core)].counters != 0) {
    WPERF_TRY(counting, device.open_count(counts));
  }
  WPERF_TRY(const auto session, device.open_spe(plan));
  // Counting starts before sampling and ends after it, so the counters count every sample that passes the filter.
  if (counting != nullptr) WPERF_CHECK_OK(counting->start());
  WPERF_CHECK_OK(session->start());
  outcome.start_ns = device.programs().now_ns();
  u64 bytes = 0;
  const readings::SpeSink counted = [&](const readings::SpePiece& piece) {
    bytes += piece.bytes.size();
    sink(piece);
  };
  const auto drain = [&]() -> diag::Result<Collected> {
    WPERF_CHECK_OK(session->drain(counted));
    return Collected{.amount = bytes};
  };
  WPERF_TRY(outcome.collection, collect_samples(machine, until, {kSpeDrainNs, drain}, console));
  WPERF_CHECK_OK(session->stop());
  outcome.end_ns = device.programs().now_ns();
  if (counting != nullptr) WPERF_CHECK_OK(counting->stop());
  WPERF_CHECK_OK(session->drain(counted));
  print_end_of_collection(outcome.collection, machine, console);
  outcome.core_statistics = session->core_statistics();
  if (counting != nullptr) {
    WPERF_TRY(const readings::CountCapture capture, counting->read());
    outcome.counted = counted_facts(counts, machine.capabilities, capture);
  }
  return outcome;
}

RunEnding ending_of(const SampledProgram& sampled, const std::vector<readings::Process>& processes, SpeOutcome outcome,
                    const plan::Capabilities& machine) {
  RunEnding ending{.processes = processes,
                   .threads = {},
                   .run = facts_of_run(sampled, processes, outcome.start_ns, outcome.end_ns),
                   .first_ns = outcome.start_ns,
                   .last_ns = outcome.end_ns};
  for (const readings::Process& process : processes) {
    for (const u32 thread : process.threads) ending.threads.emplace(process.pid, thread);
  }
  for (const readings::SpeStatistics& statistics : outcome.core_statistics) {
    ending.run.spe_cores.push_back(
        {.core = statistics.core,
         .midr = statistics.core < machine.core_midr.size() ? machine.core_midr[statistics.core] : 0,
         .full = statistics.full,
         .stopped_ns = statistics.stopped_ns,
         .collisions = statistics.collisions,
         .data_losses = statistics.data_losses,
         .faulted = statistics.faulted});
  }
  ending.run.counted = std::move(outcome.counted);
  return ending;
}

void add_python(const SpePython& python, RunEnding& ending) {
  ending.jit_code = python.jit_code();
  ending.record_stacks = perf_data::record_stacks_bytes(python.stacks());
  ending.run.python = python.samples();
  if (ending.run.python.versions.empty()) ending.run.note += kNoPython;
}

diag::Result<Recording> record_driver_spe(const MeasureOptions& options, OpenedMachine& machine,
                                          diag::Console& console) {
  Recording recording;
  WPERF_TRY(const plan::SpePlan plan, plan::make_spe_plan(options.wanted, options.view, machine.capabilities));
  device::Programs& programs = machine.device->programs();
  SpawnedProgram program(programs);
  WPERF_TRY(recording.sampled, start_or_find(options, plan.program_core, machine, program, console));
  console.out(
      report::sample_start_text(target_before(programs, recording.sampled, modules::symbol_options(options.wanted)),
                                recording.sampled.pe_file, options.verbose));
  WPERF_CHECK_OK(create_own_file(recording));
  SpeRecorder recorder(plan, machine.capabilities.timer, *recording.own_file);
  std::optional<SpePython> python;
  if (plan.python != request::PythonFrames::none)
    python.emplace(plan.python, programs, conversion_of(machine.capabilities.timer));
  ByteFiles files(options, plan.cores.size() > 1);
  const auto take = [&](const readings::SpePiece& piece) {
    recorder.take(piece);
    if (options.wanted.sampling.keeps_spe_bytes) files.write(piece);
  };
  WPERF_TRY(SpeOutcome outcome,
            profile_once(plan, machine, {options.wanted.duration_ms(), recording.sampled.pid}, console, take));
  const auto written = files.close(console);
  recording.end = outcome.collection.end;
  recording.error = std::move(outcome.collection.error);
  recording.processes = programs.processes();
  RunEnding ending = ending_of(recording.sampled, recording.processes, std::move(outcome), machine.capabilities);
  if (python.has_value()) add_python(*python, ending);
  recorder.finish(ending, machine.capabilities, options.arguments);
  WPERF_CHECK_OK(finish_own_file(recording, options.kept_file));
  if (!written.has_value() && !recording.error.has_value()) recording.error = written.error();
  return recording;
}

// The type of the SPE event. Linux numbers its PMUs from 8 on. perf takes the type from AUXTRACE_INFO, and searches for
// the event with that type.
constexpr u32 kSpeUnit = 8;
constexpr u64 kOperationType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                               perf_data::kSampleId | perf_data::kSampleCpu | perf_data::kSamplePeriod;
constexpr usize kWord = 8;                     // sizes of AUXTRACE data are multiples of this
constexpr usize kMostWithoutRecord = 1 << 20;  // in bytes; no record is that long

std::vector<perf_data::WrittenEvent> events_of(const plan::SpePlan& plan) {
  const perf_data::WrittenAttributes attributes{
      .type = kSpeUnit, .config = 0, .period = plan.interval, .sample_type = kOperationType, .kernel = plan.kernel};
  return {{.name = "arm_spe_0", .attributes = perf_data::attribute_bytes(attributes), .ids = {id_of_event(0)}}};
}

// Alignment packets depend on their address, so the offset within a page is kept.
u64 offset_like(u64 address, u64 least) {
  constexpr u64 kPage = 1 << 16;
  const u64 offset = least / kPage * kPage + address % kPage;
  return offset < least ? offset + kPage : offset;
}

}  // namespace

diag::Result<Recording> record_spe(const MeasureOptions& options, OpenedMachine& machine, diag::Console& console) {
  return machine.capabilities.kernel != nullptr ? record_kernel_spe(options, machine, console)
                                                : record_driver_spe(options, machine, console);
}

// The conversion has the form that the kernel uses: a 32-bit multiplier and a shift. The product of the multiplier and
// the bits below the shift must fit into 64 bits.
perf_data::TimeConversion conversion_of(const plan::TimerMoment& timer) {
  constexpr u64 kNsPerSecond = 1'000'000'000, kMostMultiplier = ~u32{0};
  if (timer.hz == 0) return {};
  u32 shift = 32;
  while ((kNsPerSecond << shift) / timer.hz > kMostMultiplier) --shift;
  perf_data::TimeConversion out{.multiplier = (kNsPerSecond << shift) / timer.hz, .shift = shift};
  out.zero = timer.time_ns - out.to_perf_ns(timer.ticks);
  out.has_zero = true;
  return out;
}

SpeRecorder::SpeRecorder(const plan::SpePlan& plan, const plan::TimerMoment& timer, os::RecordingFile& file)
    : writer_(events_of(plan), kOperationType, file) {
  constexpr u64 kPerCore = 1;
  std::string info;
  perf_data::append_auxtrace_info(info, perf_data::kAuxArmSpe, std::array{u64{kSpeUnit}, kPerCore});
  const perf_data::TimeConversion time = conversion_of(timer);
  if (plan.timestamps && time.has_zero) perf_data::append_time_conversion(info, time.shift, time.multiplier, time.zero);
  writer_.append(info);
}

void SpeRecorder::take(const readings::SpePiece& piece) {
  Stream& stream = streams_[piece.core];
  if (piece.after_gap) write(piece.core, stream, stream.begun.size());
  // If the core continues in another buffer, an unfinished record continues in that buffer.
  stream.address = piece.buffer_address - stream.begun.size();
  stream.begun.insert(stream.begun.end(), piece.bytes.begin(), piece.bytes.end());
  const std::vector<std::byte>& bytes = stream.begun;
  stream.state.buffer_address = stream.address;
  usize whole = 0;
  spe::for_each_record(bytes, stream.state, [&](const spe::Record&) {
    whole = static_cast<usize>(stream.state.buffer_address - stream.address);
  });
  spe::end_of_buffer(stream.state, 0);  // the unfinished record will be decoded again
  while (whole != 0 && whole < bytes.size() && whole % kWord != 0 && bytes[whole] == std::byte{}) ++whole;
  if (bytes.size() - whole > kMostWithoutRecord) whole = bytes.size();
  write(piece.core, stream, whole);
}

void SpeRecorder::write(u32 core, Stream& stream, usize size) {
  if (size == 0) return;
  const std::string_view bytes(reinterpret_cast<const char*>(stream.begun.data()), size);
  const u64 offset = offset_like(stream.address, stream.offset);
  std::string record;
  perf_data::append_auxtrace(record, core, offset, bytes);
  writer_.append(record);
  stream.offset = offset + (size + kWord - 1) / kWord * kWord;
  stream.address += size;
  stream.begun.erase(stream.begun.begin(), stream.begun.begin() + static_cast<std::ptrdiff_t>(size));
}

void SpeRecorder::finish(const RunEnding& ending, const plan::Capabilities& machine,
                         std::span<const std::string> arguments) {
  for (auto& [core, stream] : streams_) write(core, stream, stream.begun.size());
  writer_.finish(ending, machine, arguments);
}

}  // namespace wperf::measure
