// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/recorded_spe.h"

#include <algorithm>
#include <charconv>

#include "import/perf_data/address_spaces.h"
#include "modules/elf_files.h"
#include "modules/elf_line_ranges.h"
#include "modules/for_each_module.h"
#include "modules/symbol_folders.h"
#include "pipeline/outputs.h"
#include "pipeline/sample_profile_input.h"
#include "pipeline/spe_decoding.h"
#include "pipeline/spe_records.h"
#include "profile/spe_profile_builder.h"
#include "recording/recorded_records.h"

namespace wperf::pipeline {
namespace {

using perf_data::AddressSpaces;
using perf_data::AuxTraces;

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

profile::SampleTarget target_of_file(const AddressSpaces& spaces, const std::string& data_file) {
  profile::SampleTarget target;
  target.pe_file = data_file;
  const u32 pid = spaces.only_process();
  target.process = pid != AddressSpaces::kNobody ? pid : 0;
  for (const perf_data::CodeFile& file : spaces.files()) {
    profile::SampleModule module;
    module.name = modules::base_name(file.path);
    module.path = file.path;
    module.base = file.home;
    module.size = static_cast<u32>(std::min<u64>(file.size, ~u32{0}));
    target.modules.push_back(std::move(module));
  }
  if (!target.modules.empty()) {
    target.modules.front().main = pid != AddressSpaces::kNobody;
    target.image_name = target.modules.front().name;
    target.base_address = target.modules.front().base;
  }
  return target;
}

void add_threads(const AddressSpaces& spaces, profile::SpeRun& run) {
  for (const auto& [thread, process] : spaces.process_of_threads()) {
    run.threads.push_back({.context = thread, .process = process, .thread = thread});
  }
  std::sort(run.threads.begin(), run.threads.end(), [](const auto& a, const auto& b) { return a.context < b.context; });
  for (const perf_data::ProcessInfo& process : spaces.processes()) {
    run.processes.push_back({.process = process.pid, .name = std::string(process.name)});
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

}  // namespace

bool has_spe_data(const AuxTraces& traces) {
  return traces.info().has_value() && traces.info()->type == perf_data::kAuxArmSpe && !traces.buffers().empty();
}

diag::Result<profile::SpeProfile> read_recorded_spe(const perf_data::PerfFile& file, const AuxTraces& traces,
                                                    const request::Request& request) {
  const request::SampleDisplay& display = request.sampling.display;
  const AddressSpaces spaces = AddressSpaces::collect(file);
  const std::vector<u64> midrs = midr_of_cores(file, traces);
  decode::spe::Tally tally({.memory = display.memory});
  for (u32 core = 0; core < midrs.size(); ++core) {
    tally.set_data_sources(core, decode::spe::find_data_source_family(midrs[core]));
  }
  const recording::RecordedRecords recorded(traces, spaces);
  recording::DecodeStates states;
  recorded.add_to(tally, states);

  profile::SpeRun run;
  run.target = target_of_file(spaces, *request.data_file);
  run.processes_known = true;
  add_threads(spaces, run);
  for (const auto& [core, state] : states) {
    profile::SpeCore& one = run.cores.emplace_back();
    one.core = core;
    profile::add_damage(one, state);
  }
  add_losses(traces, run.cores);
  run.forgotten_mappings = spaces.forgotten();
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
    const perf_data::CodeFile& code = spaces.files()[i];
    loaded[i] = modules::load_elf(std::string(code.path), code.build_id, search);
    answers[i] = answers_of(loaded[i], wanted[i], display.decorated_names, lines);
    if (display.disassemble) add_line_ranges(loaded[i], answers[i]);
  });
  for (size_t i = 0; i < loaded.size(); ++i) run.target.modules[i].reason = loaded[i].reason;
  profile::SpeProfile profile = profile::make_spe_profile(tally, std::move(run), answers);
  const CodeReader code{
      .bytes = [&](u32 module, u32 begin, u32 end) { return code_of(loaded[module], begin, end); },
      .name = [&](u32 module,
                  u32 offset) { return answers_of(loaded[module], {offset}, display.decorated_names, false); }};
  WPERF_CHECK_OK(add_code_and_sources(profile.samples, code, display));

  if (request.sampling.records_file.has_value()) {
    RecordsRequest records{
        .path = output_path(request.outputs, *request.sampling.records_file), .midr_of_core = midrs, .to_ns = {}};
    if (const auto& time = traces.time(); time.has_value()) {
      records.to_ns = [time](u64 ticks) { return time->to_perf_ns(ticks); };
    }
    WPERF_CHECK_OK(write_records(records, profile, [&](const RecordSink& sink) {
      recording::DecodeStates again;
      recorded.for_each(again, sink);
    }));
  }
  return profile;
}

}  // namespace wperf::pipeline
