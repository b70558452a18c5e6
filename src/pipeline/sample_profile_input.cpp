// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/sample_profile_input.h"

#include <algorithm>
#include <map>

#include "modules/for_each_module.h"
#include "os/files.h"
#include "pipeline/milliseconds.h"
#include "profile/sample_profile_builder.h"
#include "request/symbol_filter.h"
#include "symbols/disassembly/disassembler.h"

namespace wperf::pipeline {
namespace {

constexpr size_t kSourceFileLimit = 8u << 20;

profile::SampleRun run_of(const SamplingOutcome& outcome, const raw::Process* process, bool ended) {
  profile::SampleRun run;
  const request::SampleDisplay& display = outcome.plan.display;
  for (const plan::SampleEvent& event : outcome.plan.events) {
    run.events.push_back(
        {.name = event.name, .code = event.code, .fixed = event.code == plan::kCycleEvent, .interval = event.interval});
  }
  for (const raw::CoreTally& tally : outcome.capture.tallies) {
    run.cores.push_back({.core = tally.core,
                         .generated = tally.taken,
                         .lost_ring_full = tally.lost_ring_full,
                         .lost_filtered = tally.lost_filtered});
  }
  run.processes = process_names(outcome.capture.processes);
  run.start_ns = outcome.capture.start_ns;
  // The contract's clock resolves milliseconds.
  const u64 elapsed_ns = outcome.capture.end_ns - outcome.capture.start_ns;
  run.end_ns = run.start_ns + elapsed_ns / kNanosecondsPerMillisecond * kNanosecondsPerMillisecond;
  run.slice_ns = u64{display.timeline_ms.value_or(0)} * kNanosecondsPerMillisecond;
  run.callers = std::find(display.by.begin(), display.by.end(), request::Breakdown::caller) != display.by.end();
  if (process != nullptr && ended) run.exit_code = process->exit_code;
  return run;
}

// In a hybrid image each range of code says what it is; elsewhere the image does. ARM64EC is ARM64 code.
symbols::InstructionSet instruction_set(const symbols::PeFile& image, u32 rva) {
  symbols::Machine machine = image.machine();
  for (const symbols::CodeRange& code : image.code_ranges()) {
    if (code.range.contains(symbols::Rva{rva})) machine = code.machine;
  }
  return machine == symbols::Machine::x64 ? symbols::InstructionSet::x64 : symbols::InstructionSet::arm64;
}

// "name+0x24" of a branch's target.
std::string target_text(const std::vector<profile::AddressAnswer>& answers, u32 rva) {
  if (answers.empty() || answers.front().function.empty()) return {};
  return profile::place_text(answers.front().function, rva - answers.front().function_begin);
}

diag::Result<void> disassemble(profile::SampleProfile& profile, const CodeReader& code,
                               const request::SampleDisplay& display) {
  profile.code = profile::code_to_disassemble(profile, display.rows, name_filter(display));
  std::map<symbols::InstructionSet, symbols::Disassembler> disassemblers;
  for (profile::CodeBlock& block : profile.code) {
    const std::optional<modules::CodeBytes> read = code.bytes(block.module, block.begin, block.end);
    if (!read.has_value()) continue;
    auto found = disassemblers.find(read->instructions);
    if (found == disassemblers.end()) {
      WPERF_TRY(auto opened, symbols::Disassembler::open(read->instructions));
      found = disassemblers.emplace(read->instructions, std::move(opened)).first;
    }
    for (symbols::Instruction& instruction : found->second.disassemble(read->bytes, read->base, block.begin)) {
      profile::Instruction line{.rva = instruction.rva,
                                .mnemonic = std::move(instruction.mnemonic),
                                .operands = std::move(instruction.operands),
                                .target = {}};
      if (instruction.target.has_value()) {
        line.target = target_text(code.name(block.module, *instruction.target), *instruction.target);
      }
      block.instructions.push_back(std::move(line));
    }
  }
  return {};
}

}  // namespace

SampleColumnSet::SampleColumnSet(const std::vector<raw::Sample>& samples) {
  const size_t count = samples.size();
  for (auto* column : {&time_ns, &pc, &lr}) column->reserve(count);
  for (auto* column : {&process, &thread, &events}) column->reserve(count);
  core.reserve(count);
  exception_level.reserve(count);
  for (const raw::Sample& sample : samples) {
    time_ns.push_back(sample.time_ns);
    pc.push_back(sample.pc);
    lr.push_back(sample.lr);
    process.push_back(sample.process);
    thread.push_back(sample.thread);
    events.push_back(sample.overflowed);
    core.push_back(sample.core);
    exception_level.push_back(static_cast<u8>(sample.exception_level));
  }
}

profile::SampleColumns SampleColumnSet::view() const {
  return {.time_ns = time_ns,
          .pc = pc,
          .lr = lr,
          .process = process,
          .thread = thread,
          .events = events,
          .core = core,
          .exception_level = exception_level};
}

profile::NameFilter name_filter(const request::SampleDisplay& display) {
  if (!display.symbol.has_value()) return {};
  return [filter = *display.symbol](std::string_view name) { return request::matches(filter, name); };
}

const raw::Process* find_process(const std::vector<raw::Process>& processes, u32 pid) {
  for (const raw::Process& process : processes) {
    if (process.pid == pid) return &process;
  }
  return nullptr;
}

profile::SampleTarget target_of(const SampledProgram& program, const raw::Process* process,
                                const std::vector<modules::LoadedModule>& loaded) {
  profile::SampleTarget target;
  target.image_name = program.image_name;
  target.process = program.pid;
  target.pe_file = program.pe_file;
  target.pdb_file = program.pdb_file;
  if (process == nullptr || process->modules.empty()) return target;
  for (size_t i = 0; i < process->modules.size(); ++i) {
    target.modules.push_back(modules::module_of(process->modules[i], loaded[i]));
  }
  target.modules.front().main = true;
  const raw::Module& main = process->modules.front();
  u32 entry_rva = 0;
  if (loaded.front().symbols.has_value() && loaded.front().symbols->image() != nullptr) {
    entry_rva = loaded.front().symbols->image()->entry_rva();
  }
  target.base_address = main.base + entry_rva;
  target.runtime_delta = main.base - target.modules.front().image_base;
  return target;
}

std::vector<profile::ProcessName> process_names(const std::vector<raw::Process>& processes) {
  std::vector<profile::ProcessName> names;
  for (const raw::Process& known : processes) {
    names.push_back({.process = known.pid, .name = known.modules.empty() ? known.image : known.modules.front().name});
  }
  return names;
}

CodeReader code_of(const std::vector<modules::LoadedModule>& loaded, bool decorated) {
  const auto bytes = [&loaded](u32 module, u32 begin, u32 end) -> std::optional<modules::CodeBytes> {
    const auto& symbols = loaded[module].symbols;
    const symbols::PeFile* image = symbols.has_value() ? symbols->image() : nullptr;
    if (image == nullptr) return std::nullopt;
    return modules::CodeBytes{.instructions = instruction_set(*image, begin),
                              .bytes = image->bytes_at(symbols::Rva{begin}, end - begin),
                              .base = image->image_base()};
  };
  const auto name = [&loaded, decorated](u32 module, u32 rva) { return answers_of(loaded[module], {rva}, decorated); };
  return {.bytes = bytes, .name = name};
}

diag::Result<void> add_code_and_sources(profile::SampleProfile& profile, const CodeReader& code,
                                        const request::SampleDisplay& display) {
  if (display.disassemble) WPERF_CHECK_OK(disassemble(profile, code, display));
  if (!display.annotate) return {};
  for (const u32 file : profile::files_to_read(profile, display.rows, name_filter(display))) {
    auto text = os::load_text_file(profile.files[file].path, kSourceFileLimit);
    if (text.has_value()) profile.files[file].text = std::move(text).value();
  }
  return {};
}

profile::SampleTarget target_before(device::Channel& machine, const SampledProgram& program,
                                    const modules::SymbolOptions& options) {
  const std::vector<raw::Process> processes = machine.processes();
  const raw::Process* process = find_process(processes, program.pid);
  if (process == nullptr) return target_of(program, nullptr, {});
  return target_of(program, process, modules::load_modules(process->modules, options));
}

diag::Result<profile::SampleProfile> build_sample_profile(const SamplingOutcome& outcome, const SampledProgram& program,
                                                          const modules::SymbolOptions& options) {
  const request::SampleDisplay& display = outcome.plan.display;
  const raw::Process* process = find_process(outcome.capture.processes, program.pid);
  const std::vector<raw::Module> none;
  const std::vector<modules::LoadedModule> loaded =
      modules::load_modules(process != nullptr ? process->modules : none, options);

  profile::SampleRun run = run_of(outcome, process, process != nullptr && !process->running);
  run.target = target_of(program, process, loaded);
  const SampleColumnSet columns(outcome.capture.samples);
  const auto wanted = profile::addresses_to_name(columns.view(), run);
  std::vector<std::vector<profile::AddressAnswer>> answers(wanted.size());
  modules::for_each_module(std::min(wanted.size(), loaded.size()),
                           [&](size_t i) { answers[i] = answers_of(loaded[i], wanted[i], options.decorated); });
  profile::SampleProfile profile = profile::make_sample_profile(columns.view(), std::move(run), answers);

  WPERF_CHECK_OK(add_code_and_sources(profile, code_of(loaded, display.decorated_names), display));
  return profile;
}

}  // namespace wperf::pipeline
