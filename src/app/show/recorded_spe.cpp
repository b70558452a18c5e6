// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/recorded_spe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "analysis/operations/spe_code.h"
#include "analysis/operations/spe_cores.h"
#include "analysis/operations/spe_profile_builder.h"
#include "analysis/recording/mapped_code.h"
#include "analysis/recording/recorded_records.h"
#include "app/measure/spe_counts.h"
#include "app/show/recorded_compat.h"
#include "app/show/spe_record_file.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/run_facts.h"
#include "views/compat/code_and_sources.h"
#include "views/compat/compat_view.h"

namespace wperf::show {
namespace {

using perf_data::AuxTraces;
using perf_data::ProcessHistory;

// For a run of wperf's driver: the modules of its program.
operations::NamedCode code_of_run(const perf_data::PerfFile& file, const perf_data::RunFacts& facts,
                                  const modules::SymbolOptions& symbols) {
  RunTarget run = target_of_run(file, facts, symbols);
  operations::NamedCode named{
      .target = std::move(run.target), .files = std::move(run.files), .first = {}, .of_run = true};
  named.files.resize(named.target.modules.size());
  named.first.resize(named.target.modules.size());
  return named;
}

void add_threads(const ProcessHistory& history, operations::SpeRun& run) {
  std::set<u32> processes;
  for (const auto& [thread, process] : history.process_of_threads()) {
    run.threads.push_back({.context = thread, .process = process, .thread = thread});
    processes.insert(process);
  }
  std::sort(run.threads.begin(), run.threads.end(), [](const auto& a, const auto& b) { return a.context < b.context; });
  for (const u32 process : processes) {
    const u32 name = history.task_at(process, process, ~u64{0} - 1).name;
    run.processes.push_back(
        {.process = process, .name = name != perf_data::kNoCode ? history.names()[name] : std::string()});
  }
}

void add_run(const perf_data::RunFacts& facts, operations::SpeRun& run, ReadSpe& read) {
  if (facts.windows) run.processes_known = false;
  run.elapsed_seconds = static_cast<double>(facts.end_ns - facts.start_ns) / 1e9;
  run.exit_code = facts.exit_code;
  if (!facts.counted.has_value()) return;
  read.counting = measure::counted_profile(*facts.counted);
  run.population = measure::population_of(*read.counting);
  run.recorded_of_core = measure::recorded_of_cores(*read.counting, run.cores);
}

RecordsRequest records_of(const ReportOptions& options, const std::vector<u64>& midrs, const AuxTraces& traces) {
  RecordsRequest records = records_request(options, midrs);
  if (const auto& time = traces.time(); time.has_value()) {
    records.to_ns = [time](u64 ticks) { return time->to_perf_ns(ticks); };
  }
  return records;
}

}  // namespace

std::optional<AuxTraces> spe_traces(const perf_data::PerfFile& file) {
  // Most recordings have no AUX data, which their events already show.
  const auto has_own_pmu = [](const perf_data::Event& event) { return event.attributes.type > 5; };
  if (!file.is_pipe_format() && std::none_of(file.attrs().begin(), file.attrs().end(), has_own_pmu)) return {};
  auto traces = AuxTraces::collect(file);
  if (!traces.info().has_value() || traces.info()->type != perf_data::kAuxArmSpe) return {};
  if (traces.buffers().empty() && !recording::is_windows_run(file)) return {};
  return traces;
}

void warn_of_missing_times(const perf_data::AuxTraces& traces, const ReportOptions& options, diag::Console& console) {
  if (!options.read.time.has_value()) return;
  if (!traces.time().has_value()) {
    console.warn("warning: --time drops all SPE records: they have no times");
    console.warn("hint: record them with ts_enable=1 (-e arm_spe_0/ts=1/)");
  } else if (!traces.time()->has_zero) {
    console.warn("warning: --time drops all SPE records: their clock cannot be related to the recording's");
  }
}

diag::Result<ReadSpe> read_recorded_spe(const perf_data::PerfFile& file, const AuxTraces& traces,
                                        const ReportOptions& options, diag::Console& console) {
  const request::SampleDisplay& display = options.display;
  const ProcessHistory history = ProcessHistory::collect(file);
  const recording::CanonicalCode canonical(history);
  const auto facts = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  // In a recording of the whole machine, the modules do not belong to one program.
  const bool of_run = facts.has_value() && facts->windows && facts->process != 0;
  const std::vector<u64> midrs = operations::midr_of_cores(file, traces, facts);
  spe::Aggregator aggregator({.memory = display.memory});
  for (u32 core = 0; core < midrs.size(); ++core) {
    aggregator.set_data_sources(core, spe::find_data_source_family(midrs[core]));
  }
  const recording::RecordedRecords recorded(traces, canonical, of_run ? facts->process : ProcessHistory::kNobody);
  recording::DecodeStates states;
  recorded.add_to(aggregator, states);

  ReadSpe read;
  operations::SpeRun run;
  const bool names_program = facts.has_value() && !facts->pe_file.empty();
  operations::NamedCode code = of_run
                                   ? code_of_run(file, *facts, options.read.symbols)
                                   : operations::code_of_file(canonical, names_program ? facts->pe_file : options.file);
  run.target = code.target;
  run.processes_known = true;
  add_threads(history, run);
  run.cores = operations::cores_of(states, traces, facts);
  run.forgotten_mappings = history.merged_changes();
  if (const auto time = file.features().sample_time(); time.has_value() && time->last > time->first) {
    run.elapsed_seconds = static_cast<double>(time->last - time->first) / 1e9;
  }
  if (facts.has_value()) add_run(*facts, run, read);

  const operations::CodeNaming naming{.symbols = options.read.symbols,
                                      .lines = display.annotate || display.memory || display.disassemble,
                                      .decorated = display.decorated_names,
                                      .line_ranges = display.disassemble};
  const auto answers =
      operations::name_code(file, canonical, operations::spe_addresses_to_name(aggregator, run), naming, code);
  run.target = std::move(code.target);
  read.profile = operations::make_spe_profile(aggregator, std::move(run), answers);
  if (read.profile.memory.has_value())
    read.profile.memory->limits.nameless_cores = operations::kinds_without_source_names(states, midrs);
  if (display.timeline_ms.has_value()) {
    const u64 slice_ns = u64{*display.timeline_ms} * 1'000'000;
    const perf_data::RunFacts* const run_facts = facts.has_value() ? &*facts : nullptr;
    if (!operations::add_spe_timeline(recorded, traces, run_facts, slice_ns, read.profile)) {
      console.warn("warning: --timeline has no data: the SPE records have no times");
    }
  }
  read.view = compat::make_view(read.profile.samples, read.profile.run);
  const compat::FileOfModule files = [&](u32 module) { return &code.files[module]; };
  WPERF_CHECK_OK(compat::add_code_and_sources(read.view, files, display, options.tables.rows,
                                              modules::symbol_folders(options.read.symbols.symbol_path)));

  if (options.records_file.has_value()) {
    const RecordRuns runs{.count = recorded.run_count(),
                          .replay = [&](usize first, usize last, const RecordSink& sink) {
                            recording::DecodeStates again;
                            return recorded.for_each_in(first, last, again, sink);
                          }};
    auto written = write_records(records_of(options, midrs, traces), read.profile, runs, console);
    if (!written.has_value()) read.error = std::move(written).error();
  }
  return read;
}

}  // namespace wperf::show
