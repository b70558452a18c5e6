// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/spe_recording.h"

#include <fmt/format.h>

#include <map>

#include "analysis/recording/spe_trace_records.h"
#include "app/measure/collecting.h"
#include "app/measure/population.h"
#include "app/measure/recording_run.h"
#include "app/measure/spe_recorder.h"
#include "code/modules/symbol_folders.h"
#include "ground/os/files.h"
#include "ground/os/output_file.h"
#include "machine/plan/spe_plan.h"
#include "views/report/sample_report.h"

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

// The bytes as the driver gave them, one file per core: `spe.data` if there is one core, else spe.0.data and so on.
class ByteFiles {
 public:
  ByteFiles(const std::optional<std::string>& folder, bool several) : folder_(folder), several_(several) {}

  void write(const readings::SpePiece& piece) {
    auto found = files_.find(piece.core);
    if (found == files_.end()) {
      const std::string name = several_ ? fmt::format("spe.{}.data", piece.core) : "spe.data";
      found =
          files_.emplace(piece.core, os::OutputFile::create(folder_.has_value() ? os::join_path(*folder_, name) : name))
              .first;
    }
    if (found->second.has_value()) found->second.value().write(piece.bytes);
  }
  // A file that could not be opened gives a warning only: the user did not name it.
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
  const std::optional<std::string>& folder_;
  bool several_;
  std::map<u32, diag::Result<os::OutputFile>> files_;
};

struct SpeOutcome {
  Collection collection;
  u64 start_ns = 0, end_ns = 0;
  std::vector<readings::SpeStatistics> core_statistics;
  std::optional<perf_data::CountedFacts> counted;
};

diag::Result<SpeOutcome> profile_once(const plan::SpePlan& plan, Machine& machine, const Until& until,
                                      diag::Console& console, const readings::SpeSink& sink) {
  SpeOutcome outcome;
  device::Device& device = *machine.device;
  const plan::CountPlan counts = population_plan(plan, machine.capabilities);
  std::unique_ptr<device::CountSession> counting;
  if (counts.schedules[index_of(EventClass::core)].counters != 0) {
    WPERF_TRY(counting, device.open_count(counts));
  }
  WPERF_TRY(const auto session, device.open_spe(plan));
  // The counters run longer than the profiling, so they count every sample that passes the filter.
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
  tell_collected(outcome.collection, console);
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

diag::Result<Recording> record_driver_spe(const MeasureOptions& options, Machine& machine, diag::Console& console) {
  Recording recording;
  WPERF_TRY(const plan::SpePlan plan, plan::make_spe_plan(options.wanted, options.view, machine.capabilities));
  device::Programs& programs = machine.device->programs();
  SpawnedProgram program(programs);
  WPERF_TRY(recording.sampled, start_or_find(options, plan.program_core, machine, program, console));
  console.out(
      report::sample_start_text(target_before(programs, recording.sampled, modules::symbol_options(options.wanted)),
                                recording.sampled.pe_file, options.verbose));
  WPERF_CHECK_OK(create_own_file(recording));
  SpeRecorder recorder(plan, machine.capabilities.timer, *recording.own);
  ByteFiles files(options.output_folder, plan.cores.size() > 1);
  const auto take = [&](const readings::SpePiece& piece) {
    recorder.take(piece);
    if (options.wanted.sampling.keeps_spe_bytes) files.write(piece);
  };
  WPERF_TRY(SpeOutcome outcome,
            profile_once(plan, machine, {options.wanted.duration_ms(), recording.sampled.pid}, console, take));
  const auto written = files.close(console);
  recording.end = outcome.collection.end;
  recording.trouble = std::move(outcome.collection.trouble);
  recording.processes = programs.processes();
  recorder.finish(ending_of(recording.sampled, recording.processes, std::move(outcome), machine.capabilities),
                  machine.capabilities, options.arguments);
  WPERF_CHECK_OK(finish_own_file(recording, options.kept_file));
  if (!written.has_value() && !recording.trouble.has_value()) recording.trouble = written.error();
  return recording;
}

}  // namespace

diag::Result<Recording> record_spe(const MeasureOptions& options, Machine& machine, diag::Console& console) {
  return machine.capabilities.kernel != nullptr ? record_kernel_spe(options, machine, console)
                                                : record_driver_spe(options, machine, console);
}

}  // namespace wperf::measure
