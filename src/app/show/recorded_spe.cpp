// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/recorded_spe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/operations/spe_profile_builder.h"
#include "analysis/recording/mapped_code.h"
#include "analysis/recording/recorded_records.h"
#include "app/measure/spe_counts.h"
#include "app/show/recorded_compat.h"
#include "app/show/spe_record_file.h"
#include "code/modules/for_each_module.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/run_facts.h"
#include "views/compat/code_and_sources.h"
#include "views/compat/compat_view.h"

namespace wperf::show {
namespace {

using perf_data::AuxTraces;
using perf_data::ProcessHistory;

// By core; empty if the file does not have it.
std::vector<u64> midr_of_cores(const perf_data::PerfFile& file, const AuxTraces& traces,
                               const std::optional<perf_data::RunFacts>& facts) {
  u64 of_all = 0;
  std::string_view text = file.features().text(perf_data::Feature::cpu_id);
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::from_chars(text.data(), text.data() + text.size(), of_all, 16);
  constexpr u64 kMostCores = 4096;
  u64 cores = 0;
  for (const perf_data::AuxBuffer& buffer : traces.buffers()) {
    if (buffer.cpu != perf_data::kAnyCpu) cores = std::max<u64>(cores, u64{buffer.cpu} + 1);
  }
  std::vector<u64> midrs(std::max<u64>(1, std::min(cores, kMostCores)), of_all);
  for (const perf_data::AuxCpu& cpu : traces.info()->cpus) {
    if (cpu.cpu < midrs.size()) midrs[cpu.cpu] = cpu.midr;
  }
  if (!facts.has_value()) return midrs;
  for (const perf_data::SpeCoreFacts& core : facts->spe_cores) {
    if (core.core < midrs.size() && core.midr != 0) midrs[core.core] = core.midr;
  }
  return midrs;
}

// The target's modules, and where their names come from.
struct NamedCode {
  answers::SampleTarget target;
  std::vector<modules::CodeFile> files;  // the files of each module
  // Offset in the file of a module's first byte: 0, except for memory without a file.
  std::vector<u64> first;
  bool of_run = false;  // the files are already loaded
};

// All mappings: a module for each file, at the address of its first mapping.
NamedCode code_of_file(const recording::CanonicalCode& code, const std::string& data_file) {
  NamedCode named;
  answers::SampleTarget& target = named.target;
  target.pe_file = data_file;
  const ProcessHistory& history = code.history();
  const u32 pid = history.only_process();
  target.process = pid != ProcessHistory::kNobody ? pid : 0;
  for (const recording::CanonicalFile& file : code.files()) {
    const perf_data::MappedCode& mapped = history.codes()[file.code];
    answers::SampleModule& module = target.modules.emplace_back();
    module.name = mapped.is_anonymous ? recording::name_of_jit_code(mapped) : modules::base_name(mapped.path);
    module.path = mapped.path;
    module.base = file.base;
    module.size = static_cast<u32>(file.size);
    named.first.push_back(file.first);
  }
  named.files.resize(target.modules.size());
  if (!target.modules.empty()) {
    target.modules.front().main = pid != ProcessHistory::kNobody;
    target.image_name = target.modules.front().name;
    target.base_address = target.modules.front().base;
  }
  return named;
}

// For a run of wperf's driver: the modules of its program.
NamedCode code_of_run(const perf_data::PerfFile& file, const perf_data::RunFacts& facts,
                      const modules::SymbolOptions& symbols) {
  RunTarget run = target_of_run(file, facts, symbols);
  NamedCode named{.target = std::move(run.target), .files = std::move(run.files), .first = {}, .of_run = true};
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

void add_losses(const AuxTraces& traces, std::vector<operations::SpeCore>& cores) {
  for (const perf_data::AuxChunk& chunk : traces.chunks()) {
    const u32 core = chunk.cpu == perf_data::kAnyCpu ? 0 : chunk.cpu;
    for (operations::SpeCore& one : cores) {
      if (one.core != core) continue;
      one.data_losses += (chunk.flags & perf_data::kAuxTruncated) != 0 ? 1 : 0;
      one.collisions += (chunk.flags & perf_data::kAuxCollision) != 0 ? 1 : 0;
    }
  }
}

std::vector<answers::AddressAnswer> answers_of_map(const recording::JitCode& code, u64 first,
                                                   const std::vector<u32>& wanted) {
  std::vector<answers::AddressAnswer> answers;
  for (const u32 rva : wanted) {
    const symbols::ListedSymbol* found = code.find(first + rva);
    if (found == nullptr) continue;
    answers::AddressAnswer& answer = answers.emplace_back();
    answer.rva = rva;
    answer.function = found->name;
  }
  return answers;
}

answers::AddressAnswer answer_of(const symbols::Symbolization& known, const symbols::SymbolizedAddress& one) {
  answers::AddressAnswer answer;
  answer.function = one.function;
  for (u32 i = 0; i < one.frame_count; ++i) {
    const symbols::SymbolizedFrame& frame = known.frames[one.first_frame + i];
    answer.frames.push_back({.function = std::string(frame.function),
                             .file = std::string(frame.file),
                             .line = frame.line,
                             .inlined = frame.inlined});
  }
  return answer;
}

// `wanted`: offsets as in address_of_offset().
std::vector<answers::AddressAnswer> answers_of(const modules::CodeFile& file, const std::vector<u32>& wanted,
                                               const symbols::SymbolQuery& query, bool line_ranges) {
  std::vector<answers::AddressAnswer> answers;
  if (!file.has_symbols()) return answers;
  // In files with overlapping segments the order of addresses may differ.
  std::map<u64, u32> asked;
  for (const u32 offset : wanted) {
    if (const auto address = file.address_of_offset(offset); address.has_value()) asked.try_emplace(*address, offset);
  }
  std::vector<u64> addresses;
  addresses.reserve(asked.size());
  for (const auto& [address, offset] : asked) addresses.push_back(address);
  const symbols::Symbolization known = file.answer(addresses, query);
  const std::vector<modules::CodeRange> ranges =
      line_ranges ? file.line_ranges(known) : std::vector<modules::CodeRange>(known.answers.size());
  answers.reserve(known.answers.size());
  for (usize i = 0; i < known.answers.size(); ++i) {
    const u64 address = known.answers[i].address;
    answers::AddressAnswer& answer = answers.emplace_back(answer_of(known, known.answers[i]));
    answer.rva = asked.at(address);
    if (ranges[i].begin >= ranges[i].end) continue;
    answer.line_begin = answer.rva - static_cast<u32>(address - ranges[i].begin);
    answer.line_end = answer.rva + static_cast<u32>(ranges[i].end - address);
  }
  std::sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) { return a.rva < b.rva; });
  return answers;
}

// Loads the files that are needed, and stores in the target why there are no better names.
std::vector<std::vector<answers::AddressAnswer>> name_code(const perf_data::PerfFile& file,
                                                           const recording::CanonicalCode& canonical,
                                                           const std::vector<std::vector<u32>>& wanted,
                                                           const ReportOptions& options, NamedCode& code) {
  const request::SampleDisplay& display = options.display;
  const bool lines = display.annotate || display.memory || display.disassemble;
  modules::FunctionFiles functions({});
  const modules::ElfSearch search{
      .folders = modules::symbol_folders(options.read.symbols.symbol_path), .lines = lines, .functions = &functions};
  std::vector<std::vector<answers::AddressAnswer>> answers(wanted.size());
  modules::for_each_module(wanted.size(), [&](size_t i) {
    if (wanted[i].empty()) return;
    if (!code.of_run) {
      const perf_data::MappedCode& mapped = canonical.history().codes()[canonical.files()[i].code];
      if (mapped.is_anonymous) {
        const recording::JitCode written(mapped, search.folders);
        code.target.modules[i].reason = written.reason();
        answers[i] = answers_of_map(written, code.first[i], wanted[i]);
        return;
      }
      code.files[i] = recording::load_mapped_code(file, canonical.history(), mapped,
                                                  {recording::is_windows_run(file), search, options.read.symbols});
      code.target.modules[i].reason = code.files[i].reason();
    }
    const symbols::SymbolQuery query{.lines = lines, .decorated = display.decorated_names};
    answers[i] = answers_of(code.files[i], wanted[i], query, display.disassemble);
  });
  return answers;
}

// Adds the driver's facts about cores to the decoded ones.
void add_core_facts(const perf_data::RunFacts& facts, std::vector<operations::SpeCore>& cores) {
  for (const perf_data::SpeCoreFacts& said : facts.spe_cores) {
    auto found = std::find_if(cores.begin(), cores.end(), [&](const auto& one) { return one.core == said.core; });
    if (found == cores.end()) {
      found = cores.insert(cores.end(), operations::SpeCore{});
      found->core = said.core;
    }
    found->full = said.full;
    found->stopped_ns = said.stopped_ns;
    found->collisions = said.collisions;
    found->data_losses = said.data_losses;
    found->faulted = said.faulted;
  }
  std::sort(cores.begin(), cores.end(), [](const auto& a, const auto& b) { return a.core < b.core; });
}

void add_run(const perf_data::RunFacts& facts, operations::SpeRun& run, ReadSpe& read) {
  if (facts.windows) run.processes_known = false;
  add_core_facts(facts, run.cores);
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

// The kinds of cores whose data sources have no published names, each once.
std::vector<std::string> kinds_without_source_names(const recording::DecodeStates& states,
                                                    const std::vector<u64>& midrs) {
  std::vector<std::string> kinds;
  for (const auto& [core, state] : states) {
    const u64 midr = core < midrs.size() ? midrs[core] : 0;
    if (spe::find_data_source_family(midr) != nullptr) continue;
    const pmu::Product product = pmu::identify(midr);
    std::string kind = midr == 0                         ? "a core without details in the recording"
                       : product == pmu::architectural() ? fmt::format("the core with MIDR {:#x}", midr)
                                                         : std::string(product.title());
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace

std::optional<AuxTraces> spe_traces(const perf_data::PerfFile& file) {
  // Most recordings have no AUX data; then looking at their events is enough.
  const auto has_own_pmu = [](const perf_data::Event& event) { return event.attributes.type > 5; };
  if (!file.is_pipe_format() && std::none_of(file.attrs().begin(), file.attrs().end(), has_own_pmu)) return {};
  auto traces = AuxTraces::collect(file);
  if (!traces.info().has_value() || traces.info()->type != perf_data::kAuxArmSpe) return {};
  if (traces.buffers().empty() && !recording::is_windows_run(file)) return {};
  return traces;
}

diag::Result<ReadSpe> read_recorded_spe(const perf_data::PerfFile& file, const AuxTraces& traces,
                                        const ReportOptions& options, diag::Console& console) {
  const request::SampleDisplay& display = options.display;
  const ProcessHistory history = ProcessHistory::collect(file);
  const recording::CanonicalCode canonical(history);
  const auto facts = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  // In a recording of the whole machine, the modules do not belong to one program.
  const bool of_run = facts.has_value() && facts->windows && facts->process != 0;
  const std::vector<u64> midrs = midr_of_cores(file, traces, facts);
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
  NamedCode code = of_run ? code_of_run(file, *facts, options.read.symbols)
                          : code_of_file(canonical, names_program ? facts->pe_file : options.file);
  run.target = code.target;
  run.processes_known = true;
  add_threads(history, run);
  for (const auto& [core, state] : states) {
    operations::SpeCore& one = run.cores.emplace_back();
    one.core = core;
    operations::add_damage(one, state);
  }
  add_losses(traces, run.cores);
  run.forgotten_mappings = history.merged_changes();
  if (const auto time = file.features().sample_time(); time.has_value() && time->last > time->first) {
    run.elapsed_seconds = static_cast<double>(time->last - time->first) / 1e9;
  }
  if (facts.has_value()) add_run(*facts, run, read);

  const auto answers = name_code(file, canonical, operations::spe_addresses_to_name(aggregator, run), options, code);
  run.target = std::move(code.target);
  read.profile = operations::make_spe_profile(aggregator, std::move(run), answers);
  if (read.profile.memory.has_value())
    read.profile.memory->limits.nameless_cores = kinds_without_source_names(states, midrs);
  if (display.timeline_ms.has_value()) {
    const u64 slice_ns = u64{*display.timeline_ms} * 1'000'000;
    const perf_data::RunFacts* const run_facts = facts.has_value() ? &*facts : nullptr;
    if (!operations::add_spe_timeline(recorded, traces, run_facts, slice_ns, read.profile)) {
      console.warn("warning: --timeline has no data: the SPE records have no times");
    }
  }
  read.view = compat::make_view(read.profile.samples, read.profile.run);
  const compat::FileOfModule files = [&](u32 module) { return &code.files[module]; };
  WPERF_CHECK_OK(compat::add_code_and_sources(read.view, files, display,
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
