// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/kernel_sample_profile.h"

#include <algorithm>

#include "os/files.h"
#include "pipeline/elf_files.h"
#include "pipeline/elf_line_ranges.h"
#include "pipeline/for_each_module.h"
#include "pipeline/kernel_functions.h"
#include "pipeline/program_spaces.h"
#include "pipeline/sample_profile_input.h"
#include "profile/sample_profile_builder.h"

namespace wperf::pipeline {
namespace {

constexpr size_t kMostKernelListBytes = 256u << 20;
constexpr char kKernelName[] = "[kernel]";

profile::SampleModule module_of_file(const HomeFile& file) {
  profile::SampleModule module;
  module.path = file.path;
  module.name = file.path.substr(file.path.find_last_of('/') + 1);
  if (module.name.empty()) module.name = file.path.empty() ? "[anonymous]" : file.path;
  module.base = file.home;
  module.size = static_cast<u32>(std::min<u64>(file.size, ~u32{0}));
  return module;
}

// The kernel as a module; empty: no sample in it, or its functions are hidden.
KernelFunctions kernel_functions_for(const std::vector<raw::Sample>& samples) {
  const auto in_kernel = [](const raw::Sample& sample) { return sample.exception_level != 0; };
  if (std::none_of(samples.begin(), samples.end(), in_kernel)) return {};
  auto text = os::load_text_file("/proc/kallsyms", kMostKernelListBytes);
  if (!text.has_value()) return {};
  return KernelFunctions::parse(std::move(text).value());
}

bool has_kernel_samples(const std::vector<raw::Sample>& samples) {
  return std::any_of(samples.begin(), samples.end(), [](const raw::Sample& one) { return one.exception_level != 0; });
}

profile::SampleTarget target_of_spaces(const ProgramSpaces& spaces, const KernelFunctions& kernel,
                                       const SampledProgram& program) {
  profile::SampleTarget target;
  target.image_name = program.image_name;
  target.process = program.pid;
  target.pe_file = program.pe_file;
  for (const HomeFile& file : spaces.files) {
    target.modules.push_back(module_of_file(file));
    profile::SampleModule& module = target.modules.back();
    module.main = module.name == program.image_name && file.first_process == program.pid;
    if (module.main) target.base_address = module.base;
  }
  if (kernel.empty()) return target;
  profile::SampleModule& module = target.modules.emplace_back();
  module.name = module.path = kKernelName;
  module.base = kernel.base();
  module.size = static_cast<u32>(kernel.size());
  module.kernel = true;
  return target;
}

profile::SampleRun run_of_kernel(const SamplingOutcome& outcome, const SampledProgram& program,
                                 const ProgramSpaces& spaces) {
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
  for (const ProgramName& one : spaces.names) run.processes.push_back({.process = one.process, .name = one.name});
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
  std::vector<LoadedElf> loaded;
  std::vector<std::vector<profile::AddressAnswer>> answers;
};

NamedModules name_modules(const ProgramSpaces& spaces, const KernelFunctions& kernel,
                          const std::vector<std::vector<u32>>& wanted, const ElfSearch& search,
                          const request::SampleDisplay& display) {
  NamedModules named;
  named.loaded.resize(wanted.size());
  named.answers.resize(wanted.size());
  for_each_module(wanted.size(), [&](size_t i) {
    if (wanted[i].empty()) return;
    if (i >= spaces.files.size()) {
      named.answers[i] = kernel.answers_of(wanted[i]);
      return;
    }
    const HomeFile& file = spaces.files[i];
    if (file.path.empty() || file.path.front() != '/' || file.path.starts_with("//")) {
      named.loaded[i].reason = "code that is in no file";
      return;
    }
    named.loaded[i] = load_elf(file.path, file.build_id, search);
    named.answers[i] = answers_of(named.loaded[i], wanted[i], display.decorated_names, search.lines);
    if (named.loaded[i].reason.empty() && mostly_unnamed(named.answers[i], wanted[i].size())) {
      named.loaded[i].reason = "its file has no symbols for this code: it is stripped, and no debug file was found";
    }
    if (display.disassemble) add_line_ranges(named.loaded[i], named.answers[i]);
  });
  return named;
}

}  // namespace

diag::Result<profile::SampleProfile> build_kernel_sample_profile(SamplingOutcome& outcome,
                                                                 const SampledProgram& program,
                                                                 const SymbolOptions& options) {
  const request::SampleDisplay& display = outcome.plan.display;
  const ProgramSpaces spaces = move_home(outcome.capture);
  const KernelFunctions kernel = kernel_functions_for(outcome.capture.samples);
  profile::SampleRun run = run_of_kernel(outcome, program, spaces);
  run.target = target_of_spaces(spaces, kernel, program);
  const SampleColumnSet columns(outcome.capture.samples);
  const auto wanted = profile::addresses_to_name(columns.view(), run);
  std::vector<std::string> folders;
  if (!options.symbol_path.empty()) folders.push_back(options.symbol_path);
  const ElfSearch search{.folders = folders, .lines = display.annotate};
  const NamedModules named = name_modules(spaces, kernel, wanted, search, display);
  for (size_t i = 0; i < spaces.files.size(); ++i) run.target.modules[i].reason = named.loaded[i].reason;
  profile::SampleProfile profile = profile::make_sample_profile(columns.view(), std::move(run), named.answers);
  if (!outcome.plan.note.empty()) {
    profile.note = "sampled is " + outcome.plan.events.front().name + ", not cycles: " + outcome.plan.note;
  }
  if (kernel.empty() && has_kernel_samples(outcome.capture.samples)) {
    profile.note += (profile.note.empty() ? "" : "\nnote: ") +
                    std::string("functions of the kernel have no names: kernel.kptr_restrict hides their addresses");
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
