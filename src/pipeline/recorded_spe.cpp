// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/recorded_spe.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "modules/elf_files.h"
#include "modules/elf_line_ranges.h"
#include "modules/for_each_module.h"
#include "modules/symbol_folders.h"
#include "pipeline/outputs.h"
#include "pipeline/sample_profile_input.h"
#include "pipeline/spe_decoding.h"
#include "pipeline/spe_records.h"
#include "profile/spe_profile_builder.h"
#include "recording/mapped_code.h"
#include "recording/recorded_records.h"

namespace wperf::pipeline {
namespace {

using perf_data::AuxTraces;
using perf_data::TaskHistory;

// By core; empty where the file does not say.
std::vector<u64> midr_of_cores(const perf_data::PerfFile& file, const AuxTraces& traces) {
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
  return midrs;
}

profile::SampleTarget target_of_file(const recording::CanonicalCode& code, const std::string& data_file) {
  profile::SampleTarget target;
  target.pe_file = data_file;
  const TaskHistory& history = code.history();
  const u32 pid = history.only_process();
  target.process = pid != TaskHistory::kNobody ? pid : 0;
  for (const recording::CanonicalFile& file : code.files()) {
    const perf_data::MappedCode& mapped = history.codes()[file.code];
    profile::SampleModule& module = target.modules.emplace_back();
    module.name = mapped.is_anonymous ? recording::name_of_written_code(mapped) : modules::base_name(mapped.path);
    module.path = mapped.path;
    module.base = file.base;
    module.size = static_cast<u32>(file.size);
  }
  if (!target.modules.empty()) {
    target.modules.front().main = pid != TaskHistory::kNobody;
    target.image_name = target.modules.front().name;
    target.base_address = target.modules.front().base;
  }
  return target;
}

void add_threads(const TaskHistory& history, profile::SpeRun& run) {
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

void add_losses(const AuxTraces& traces, std::vector<profile::SpeCore>& cores) {
  for (const perf_data::AuxChunk& chunk : traces.chunks()) {
    const u32 core = chunk.cpu == perf_data::kAnyCpu ? 0 : chunk.cpu;
    for (profile::SpeCore& one : cores) {
      if (one.core != core) continue;
      one.data_losses += (chunk.flags & perf_data::kAuxTruncated) != 0 ? 1 : 0;
      one.collisions += (chunk.flags & perf_data::kAuxCollision) != 0 ? 1 : 0;
    }
  }
}

std::vector<profile::AddressAnswer> answers_of_map(const recording::WrittenCode& code, u64 first,
                                                   const std::vector<u32>& wanted) {
  std::vector<profile::AddressAnswer> answers;
  for (const u32 rva : wanted) {
    const symbols::ListedSymbol* found = code.find(first + rva);
    if (found == nullptr) continue;
    profile::AddressAnswer& answer = answers.emplace_back();
    answer.rva = rva;
    answer.function = found->name;
  }
  return answers;
}

}  // namespace

bool has_spe_data(const AuxTraces& traces) {
  return traces.info().has_value() && traces.info()->type == perf_data::kAuxArmSpe && !traces.buffers().empty();
}

diag::Result<ReadSpe> read_recorded_spe(const perf_data::PerfFile& file, const AuxTraces& traces,
                                        const request::Request& request, diag::Console& console) {
  const request::SampleDisplay& display = request.sampling.display;
  const TaskHistory history = TaskHistory::collect(file);
  const recording::CanonicalCode canonical(history);
  const std::vector<u64> midrs = midr_of_cores(file, traces);
  decode::spe::Tally tally({.memory = display.memory});
  for (u32 core = 0; core < midrs.size(); ++core) {
    tally.set_data_sources(core, decode::spe::find_data_source_family(midrs[core]));
  }
  const recording::RecordedRecords recorded(traces, canonical);
  recording::DecodeStates states;
  recorded.add_to(tally, states);

  profile::SpeRun run;
  run.target = target_of_file(canonical, *request.data_file);
  run.processes_known = true;
  add_threads(history, run);
  for (const auto& [core, state] : states) {
    profile::SpeCore& one = run.cores.emplace_back();
    one.core = core;
    profile::add_damage(one, state);
  }
  add_losses(traces, run.cores);
  run.forgotten_mappings = history.merged_changes();
  if (const auto time = file.features().sample_time(); time.has_value() && time->last > time->first) {
    run.elapsed_seconds = static_cast<double>(time->last - time->first) / 1e9;
  }

  const bool lines = display.annotate || display.memory;
  modules::FunctionFiles functions({});
  const modules::ElfSearch search{.folders = modules::symbol_folders(request), .lines = lines, .functions = &functions};
  const auto wanted = profile::spe_addresses_to_name(tally, run);
  std::vector<std::vector<profile::AddressAnswer>> answers(wanted.size());
  std::vector<modules::LoadedElf> loaded(wanted.size());
  modules::for_each_module(wanted.size(), [&](size_t i) {
    if (wanted[i].empty()) return;
    const recording::CanonicalFile& one = canonical.files()[i];
    const perf_data::MappedCode& code = history.codes()[one.code];
    if (code.is_anonymous) {
      const recording::WrittenCode written(code);
      loaded[i].reason = written.reason();
      answers[i] = answers_of_map(written, one.first, wanted[i]);
      return;
    }
    loaded[i] = recording::load_mapped_elf(file, history, code, search);
    answers[i] = answers_of(loaded[i], wanted[i], display.decorated_names, lines);
    if (display.disassemble) add_line_ranges(loaded[i], answers[i]);
  });
  for (size_t i = 0; i < loaded.size(); ++i) run.target.modules[i].reason = loaded[i].reason;
  ReadSpe read{.profile = profile::make_spe_profile(tally, std::move(run), answers), .trouble = {}};
  const CodeReader code{
      .bytes = [&](u32 module, u32 begin, u32 end) { return code_of(loaded[module], begin, end); },
      .name = [&](u32 module,
                  u32 offset) { return answers_of(loaded[module], {offset}, display.decorated_names, false); }};
  WPERF_CHECK_OK(add_code_and_sources(read.profile.samples, code, display));

  if (request.sampling.records_file.has_value()) {
    RecordsRequest records = records_request(request, midrs);
    if (const auto& time = traces.time(); time.has_value()) {
      records.to_ns = [time](u64 ticks) { return time->to_perf_ns(ticks); };
    }
    const RecordRuns runs{.count = recorded.run_count(),
                          .replay = [&](usize first, usize last, const RecordSink& sink) {
                            recording::DecodeStates again;
                            return recorded.for_each_in(first, last, again, sink);
                          }};
    auto written = write_records(records, read.profile, runs, console);
    if (!written.has_value()) read.trouble = std::move(written).error();
  }
  return read;
}

}  // namespace wperf::pipeline
