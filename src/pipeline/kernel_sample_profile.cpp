// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/kernel_sample_profile.h"

#include <algorithm>
#include <set>

#include "modules/elf_files.h"
#include "modules/elf_line_ranges.h"
#include "modules/for_each_module.h"
#include "modules/kernel_symbols.h"
#include "modules/symbol_folders.h"
#include "pipeline/sample_profile_input.h"
#include "profile/sample_profile_builder.h"
#include "recording/code_homes.h"
#include "recording/mapped_code.h"

namespace wperf::pipeline {
namespace {

using perf_data::TaskHistory;

constexpr char kKernelName[] = "[kernel]";

// What is named after the files: the kernel's addresses stay where they are.
struct KernelPart {
  std::vector<profile::SampleModule> modules;
  std::vector<std::vector<profile::AddressAnswer>> answers;  // by module
  std::string reason;                                        // why there are no names; empty: there are
};

void add_kernel_address(u64 address, const modules::KernelSymbols::Function& found, KernelPart& kernel) {
  const std::string name = found.module.empty() ? kKernelName : "[" + std::string(found.module) + "]";
  if (kernel.modules.empty() || kernel.modules.back().name != name || address - kernel.modules.back().base >= ~u32{0}) {
    profile::SampleModule& module = kernel.modules.emplace_back();
    module.name = module.path = name;
    module.base = found.begin;
    module.kernel = true;
    kernel.answers.emplace_back();
  }
  profile::SampleModule& module = kernel.modules.back();
  module.size = static_cast<u32>(address - module.base) + 1;
  profile::AddressAnswer& answer = kernel.answers.back().emplace_back();
  answer.rva = module.size - 1;
  answer.function = found.name;
  answer.function_begin = answer.function_end = static_cast<u32>(found.begin - module.base);
}

KernelPart name_kernel(const perf_data::PerfFile& file, const TaskHistory& history,
                       const std::vector<raw::Sample>& samples) {
  std::set<u64> addresses;
  for (const raw::Sample& one : samples) {
    if (one.exception_level != 0) addresses.insert(one.pc);
  }
  KernelPart kernel;
  if (addresses.empty()) return kernel;
  modules::KernelSymbols symbols = modules::KernelSymbols::load(file, history);
  for (const u64 address : addresses) {
    const modules::KernelSymbols::Function found = symbols.find(address);
    if (!found.name.empty() && address - found.begin < ~u32{0}) add_kernel_address(address, found, kernel);
  }
  kernel.reason = symbols.reason();
  return kernel;
}

// Code of the samples that are not the kernel's: one module for each home.
struct UserPart {
  const perf_data::PerfFile& file;
  const TaskHistory& history;
  const recording::RecordedJit& jit;
  std::vector<recording::CodeHome> homes;

  const perf_data::MappedCode* code_of_home(size_t home) const {
    return homes[home].code == perf_data::kNoCode ? nullptr : &history.codes()[homes[home].code];
  }
};

profile::SampleModule module_of_home(const UserPart& user, size_t number) {
  const recording::CodeHome& home = user.homes[number];
  const perf_data::MappedCode* code = user.code_of_home(number);
  profile::SampleModule module;
  if (code != nullptr) module.path = code->path;
  if (code == nullptr) {
    module.name = recording::name_of_written_code(home.process);
  } else {
    module.name =
        code->is_anonymous ? recording::name_of_written_code(*code) : std::string(modules::base_name(code->path));
    if (module.name.empty()) module.name = module.path;
  }
  module.base = home.home;
  module.size = static_cast<u32>(home.size);
  return module;
}

profile::SampleTarget target_of_homes(const UserPart& user, const KernelPart& kernel, const SampledProgram& program) {
  profile::SampleTarget target;
  target.image_name = program.image_name;
  target.process = program.pid;
  target.pe_file = program.pe_file;
  for (size_t i = 0; i < user.homes.size(); ++i) {
    profile::SampleModule& module = target.modules.emplace_back(module_of_home(user, i));
    module.main = module.name == program.image_name && user.homes[i].process == program.pid;
    if (module.main) target.base_address = module.base;
  }
  target.modules.insert(target.modules.end(), kernel.modules.begin(), kernel.modules.end());
  return target;
}

// By the last name that each had.
std::vector<profile::ProcessName> names_of_processes(const TaskHistory& history,
                                                     const std::vector<raw::Sample>& samples) {
  std::set<u32> processes;
  for (const raw::Sample& one : samples) processes.insert(one.process);
  std::vector<profile::ProcessName> names;
  for (const u32 process : processes) {
    const u32 name = history.task_at(process, process, ~u64{0} - 1).name;
    if (name != perf_data::kNoCode) names.push_back({.process = process, .name = history.names()[name]});
  }
  return names;
}

profile::SampleRun run_of_kernel(const SamplingOutcome& outcome, const SampledProgram& program,
                                 const TaskHistory& history) {
  profile::SampleRun run;
  for (const plan::SampleEvent& event : outcome.plan.events) {
    run.events.push_back({.name = event.name, .code = event.code, .fixed = false, .interval = event.interval});
  }
  for (const raw::CoreTally& tally : outcome.capture.tallies) {
    run.cores.push_back({.core = tally.core,
                         .generated = tally.taken,
                         .lost_ring_full = tally.lost_ring_full,
                         .lost_filtered = tally.lost_filtered,
                         .throttled = tally.throttled,
                         .unreadable = tally.unreadable});
  }
  run.processes = names_of_processes(history, outcome.capture.samples);
  run.start_ns = outcome.capture.start_ns;
  run.end_ns = outcome.capture.end_ns;
  run.slice_ns = u64{outcome.plan.display.timeline_ms.value_or(0)} * 1'000'000;
  run.all_processes = true;
  const raw::Process* process = find_process(outcome.capture.processes, program.pid);
  if (process != nullptr && !process->running) run.exit_code = process->exit_code;
  return run;
}

bool mostly_unnamed(const std::vector<profile::AddressAnswer>& answers, size_t asked) {
  const auto named = std::count_if(answers.begin(), answers.end(),
                                   [](const profile::AddressAnswer& one) { return !one.function.empty(); });
  return static_cast<size_t>(named) * 2 < asked;
}

struct NamedModules {
  std::vector<modules::LoadedElf> loaded;
  std::vector<std::vector<profile::AddressAnswer>> answers;
};

// Addresses that a program gave names to, in a dump or in a map.
std::vector<profile::AddressAnswer> answers_of_dump(const UserPart& user, const recording::CodeHome& home,
                                                    const std::vector<u32>& wanted) {
  std::vector<profile::AddressAnswer> answers;
  for (const u32 rva : wanted) {
    const recording::RecordedJit::Spot spot = user.jit.spot(recording::RecordedJit::kSpot | (home.first + rva));
    profile::AddressAnswer& answer = answers.emplace_back();
    answer.rva = rva;
    answer.function = spot.function;
    if (spot.line.line == 0) continue;
    answer.frames.push_back({.function = answer.function, .file = std::string(spot.line.file), .line = spot.line.line});
  }
  return answers;
}

std::vector<profile::AddressAnswer> answers_of_map(const recording::WrittenCode& code, const recording::CodeHome& home,
                                                   const std::vector<u32>& wanted) {
  std::vector<profile::AddressAnswer> answers;
  for (const u32 rva : wanted) {
    const symbols::ListedSymbol* found = code.find(home.first + rva);
    if (found == nullptr) continue;
    profile::AddressAnswer& answer = answers.emplace_back();
    answer.rva = rva;
    answer.function = found->name;
  }
  return answers;
}

NamedModules name_modules(const UserPart& user, KernelPart& kernel, const std::vector<std::vector<u32>>& wanted,
                          const modules::ElfSearch& search, const request::SampleDisplay& display) {
  NamedModules named;
  named.loaded.resize(wanted.size());
  named.answers.resize(wanted.size());
  modules::for_each_module(user.homes.size(), [&](size_t i) {
    if (wanted[i].empty()) return;
    const perf_data::MappedCode* code = user.code_of_home(i);
    if (code == nullptr) {
      named.answers[i] = answers_of_dump(user, user.homes[i], wanted[i]);
      return;
    }
    if (code->is_anonymous) {
      const recording::WrittenCode written(*code);
      named.loaded[i].reason = written.reason();
      named.answers[i] = answers_of_map(written, user.homes[i], wanted[i]);
      return;
    }
    named.loaded[i] = recording::load_mapped_code(user.file, user.history, *code, search);
    named.answers[i] = answers_of(named.loaded[i], wanted[i], display.decorated_names, search.lines);
    if (named.loaded[i].reason.empty() && mostly_unnamed(named.answers[i], wanted[i].size())) {
      named.loaded[i].reason = "its file has no symbols for this code: it is stripped, and no debug file was found";
    }
    if (display.disassemble) add_line_ranges(named.loaded[i], named.answers[i]);
  });
  std::move(kernel.answers.begin(), kernel.answers.end(),
            named.answers.begin() + static_cast<std::ptrdiff_t>(user.homes.size()));
  return named;
}

}  // namespace

diag::Result<profile::SampleProfile> build_kernel_sample_profile(SamplingOutcome& outcome,
                                                                 const perf_data::PerfFile& file,
                                                                 const SampledProgram& program,
                                                                 const modules::SymbolOptions& options) {
  const request::SampleDisplay& display = outcome.plan.display;
  std::vector<raw::Sample>& samples = outcome.capture.samples;
  const TaskHistory history = TaskHistory::collect(file);
  recording::RecordedJit jit =
      recording::RecordedJit::open(history, true);  // our recordings have the times of the monotonic clock
  const UserPart user{file, history, jit, recording::move_home(history, jit, samples)};
  KernelPart kernel = name_kernel(file, history, samples);
  profile::SampleRun run = run_of_kernel(outcome, program, history);
  run.target = target_of_homes(user, kernel, program);
  const SampleColumnSet columns(samples);
  const auto wanted = profile::addresses_to_name(columns.view(), run);
  modules::FunctionFiles kept_functions({});
  const modules::ElfSearch search{
      .folders = modules::symbol_folders(options.symbol_path), .lines = display.annotate, .functions = &kept_functions};
  const NamedModules named = name_modules(user, kernel, wanted, search, display);
  for (size_t i = 0; i < user.homes.size(); ++i) run.target.modules[i].reason = named.loaded[i].reason;
  profile::SampleProfile profile = profile::make_sample_profile(columns.view(), std::move(run), named.answers);
  if (!outcome.plan.note.empty()) {
    profile.note = "sampled is " + outcome.plan.events.front().name + ", not cycles: " + outcome.plan.note;
  }
  if (!kernel.reason.empty()) {
    profile.note +=
        (profile.note.empty() ? "" : "\nnote: ") + ("functions of the kernel have no names: " + kernel.reason);
  }
  const CodeReader code{
      .bytes = [&](u32 module, u32 begin, u32 end) { return code_of(named.loaded[module], begin, end); },
      .name = [&](u32 module, u32 offset) -> std::vector<profile::AddressAnswer> {
        return answers_of(named.loaded[module], {offset}, options.decorated, false);
      }};
  WPERF_CHECK_OK(add_code_and_sources(profile, code, display));
  return profile;
}

}  // namespace wperf::pipeline
