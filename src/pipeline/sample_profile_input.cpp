// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/sample_profile_input.h"

#include <algorithm>
#include <map>

#include "os/files.h"
#include "profile/compat_view.h"
#include "request/symbol_filter.h"
#include "symbols/disassembly/disassembler.h"

namespace wperf::pipeline {
namespace {

constexpr size_t kSourceFileLimit = 8u << 20;

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

profile::SampleTarget target_before(device::Programs& programs, const SampledProgram& program,
                                    const modules::SymbolOptions& options) {
  const std::vector<raw::Process> processes = programs.processes();
  const raw::Process* process = find_process(processes, program.pid);
  if (process == nullptr) return target_of(program, nullptr, {});
  return target_of(program, process, modules::load_modules(process->modules, options));
}

}  // namespace wperf::pipeline
