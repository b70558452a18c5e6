// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/code_text.h"

#include <fmt/format.h>

#include <utility>

namespace wperf::modules {
namespace {

// The target of a call or branch: "name+0x24", or "name" if the function's beginning is unknown; empty if it has no
// name.
std::string target_text(const CodeFile& file, u64 target, bool decorated) {
  const symbols::SymbolizedAddress known = file.function_at(target, decorated);
  if (known.function.empty()) return {};
  const bool has_begin = known.begin < known.end;
  const u64 offset = has_begin ? target - known.begin : 0;
  return offset == 0 ? std::string(known.function) : fmt::format("{}+0x{:x}", known.function, static_cast<u32>(offset));
}

}  // namespace

diag::Result<std::vector<symbols::Instruction>> Disassemblers::disassemble(const CodeBytes& code) {
  auto found = opened_.find(code.instructions);
  if (found == opened_.end()) {
    WPERF_TRY(auto opened, symbols::Disassembler::open(code.instructions));
    found = opened_.emplace(code.instructions, std::move(opened)).first;
  }
  return found->second.disassemble(code.bytes, code.base, code.first);
}

std::string instruction_text(const CodeFile& file, u64 base, const symbols::Instruction& instruction,
                             const InstructionStyle& style) {
  if (instruction.operands.empty()) return instruction.mnemonic;
  std::string text = fmt::format("{:<{}} {}", instruction.mnemonic, style.mnemonic_width, instruction.operands);
  if (!instruction.target.has_value()) return text;
  const u64 target = base + *instruction.target;
  const code::AddressRange& around = style.function;
  if (target >= around.begin && target < around.end) return fmt::format("{} <+0x{:x}>", text, target - around.begin);
  const std::string name = target_text(file, target, style.decorated);
  return name.empty() ? text : fmt::format("{} <{}>", text, name);
}

}  // namespace wperf::modules
