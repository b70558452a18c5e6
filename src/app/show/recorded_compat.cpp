// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/recorded_compat.h"

#include <algorithm>

#include "analysis/recording/recorded_samples.h"
#include "app/measure/sampled_program.h"
#include "app/show/named_samples.h"
#include "code/modules/elf_caches.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/run_facts.h"
#include "ground/text/base_name.h"
#include "machine/plan/sample_plan.h"
#include "views/compat/code_and_sources.h"
#include "views/compat/compat_view.h"

namespace wperf::show {
namespace {

using perf_data::RunFacts;

bool shows_callers(const request::SampleDisplay& display) {
  const auto& by = display.by;
  return std::find(by.begin(), by.end(), request::Breakdown::caller) != by.end();
}

recording::ReadOptions wanted_of(const recording::ReadOptions& chosen, const request::SampleDisplay& display) {
  recording::ReadOptions wanted{.file = chosen.file, .time = chosen.time, .symbols = chosen.symbols};
  wanted.callers = shows_callers(display);
  wanted.cores = wanted.code = true;
  wanted.code_lines = display.annotate || display.disassemble;
  wanted.line_ranges = display.disassemble;
  wanted.slice_ns = u64{display.timeline_ms.value_or(0)} * 1'000'000;
  return wanted;
}

// The program with the modules that it had mapped, its image first.
readings::Process process_of(const perf_data::PerfFile& file, const RunFacts& run, std::vector<bytes::Span>& builds) {
  readings::Process process;
  process.pid = run.process;
  file.for_each_record(perf_data::Visitors{[&](const perf_data::Mmap& mapping, const perf_data::Record&) {
    if (mapping.pid != run.process) return;
    std::string_view path = mapping.file;
    const bool has_file = !path.starts_with('[');
    if (!has_file) path = path.substr(1, path.size() - 1 - (path.ends_with(']') ? 1 : 0));
    builds.push_back(mapping.build_id);
    process.modules.push_back({.name = std::string(text::base_name(path)),
                               .path = has_file ? std::string(path) : std::string(),
                               .base = mapping.address,
                               .size = mapping.length,
                               .entry = 0});
  }});
  return process;
}

std::vector<answers::ProcessName> names_of_processes(const stacks::StackProfile& profile) {
  std::vector<answers::ProcessName> names;
  for (const stacks::StackTask& task : profile.tasks) {
    const std::string& name = profile.names[task.name];
    const bool is_nameless = name.starts_with(':');
    names.push_back({.process = task.pid, .name = is_nameless ? std::string() : name});
    // The name of the process is the name of its first thread.
    if (task.tid == task.pid) std::swap(names.front(), names.back());
  }
  return names;
}

answers::SampledRun run_of(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded,
                           const recording::ReadOptions& wanted) {
  answers::SampledRun run;
  const RunFacts facts = recorded.run.value_or(RunFacts());
  run.target = target_of_run(file, facts, wanted.symbols).target;
  run.processes = names_of_processes(recorded.profile);
  run.callers = wanted.callers;
  run.all_processes = !facts.windows;
  run.exit_code = facts.exit_code;
  run.note = facts.note;
  run.elapsed_seconds = facts.end_ns > facts.start_ns ? static_cast<double>(facts.end_ns - facts.start_ns) / 1e9
                                                      : recorded.profile.elapsed_seconds;
  for (const perf_data::CoreFacts& core : facts.cores) {
    run.cores.push_back({.core = core.core,
                         .generated = core.taken,
                         .lost_ring_full = core.lost_ring_full,
                         .lost_filtered = core.lost_filtered,
                         .held_back = core.held_back,
                         .register_losses = core.register_losses});
  }
  const stacks::StackLosses& losses = recorded.profile.losses;
  if (!facts.windows) {
    u64 samples = 0;
    for (const stacks::StackEvent& event : recorded.profile.events) samples += event.samples;
    const u64 lost = losses.lost_records + std::min(losses.lost_samples, ~u64{0} - losses.lost_records);
    run.cores.push_back({.core = 0,
                         .generated = samples + std::min(lost, ~u64{0} - samples),
                         .lost_ring_full = lost,
                         .throttled = losses.throttled,
                         .unreadable = losses.damaged_records});
  }
  return run;
}

// A function that returns the code file of a module of the target.
compat::FileOfModule files_of(const recording::RecordedSamples& recorded, const compat::CompatView& view) {
  return [&](u32 number) -> const modules::CodeFile* {
    const std::string& path = view.run.target.modules[number].path;
    for (u32 i = 0; i < recorded.profile.modules.size(); ++i) {
      if (!path.empty() && recorded.profile.modules[i].path == path) return recorded.files.find(i);
    }
    return nullptr;
  };
}

}  // namespace

RunTarget target_of_run(const perf_data::PerfFile& file, const RunFacts& run, const modules::SymbolOptions& places) {
  const measure::SampledProgram program{
      .pid = run.process, .image_name = run.image_name, .pe_file = run.pe_file, .pdb_file = run.pdb_file};
  std::vector<bytes::Span> builds;  // build ids of its modules
  const readings::Process process = run.windows ? process_of(file, run, builds) : readings::Process();
  if (process.modules.empty()) return {.target = measure::target_of(program, nullptr, {}), .files = {}};
  modules::SymbolOptions symbols = places;
  if (!run.pdb_file.empty()) symbols.recorded_pdb_files.push_back(run.pdb_file);
  std::vector<modules::LoadedModule> loaded = modules::load_modules(process.modules, symbols);
  for (usize i = 0; i < loaded.size(); ++i) modules::check_build(loaded[i], builds[i]);
  RunTarget target{.target = measure::target_of(program, &process, loaded), .files = {}};
  for (modules::LoadedModule& module : loaded) target.files.emplace_back(std::move(module));
  return target;
}

diag::Result<compat::CompatView> recorded_compat(const perf_data::PerfFile& file, const recording::ReadOptions& chosen,
                                                 const request::SampleDisplay& display, u32 rows) {
  recording::ReadOptions wanted = wanted_of(chosen, display);
  modules::FunctionFiles functions({});
  wanted.functions = &functions;
  const recording::RecordedSamples recorded = recording::read_recorded_samples(file, wanted);
  compat::CompatView view = compat::make_view(recorded.profile, run_of(file, recorded, wanted), plan::kCycleEvent);
  const std::vector<std::string> folders = modules::symbol_folders(chosen.symbols.symbol_path);
  WPERF_CHECK_OK(compat::add_code_and_sources(view, files_of(recorded, view), display, rows, folders));
  return view;
}

diag::Result<compat::CompatView> compat_with_progress(const perf_data::PerfFile& file, const ReportOptions& options,
                                                      diag::Console& console) {
  recording::ReadOptions chosen = options.read;
  chosen.symbols.download_progress = download_progress(console);
  return recorded_compat(file, chosen, options.display, options.tables.rows);
}

}  // namespace wperf::show
