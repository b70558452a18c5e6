// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as machine code: every byte is in exactly one instruction, in order, and each instruction has a name. For
// most instructions, the address where execution continues is found without the library. No instruction extends beyond
// the code. The first byte chooses the instruction set, the next eight the address of the code.
#include <cstdlib>
#include <cstring>
#include <span>

#include "code/symbols/disassembly/disassembler.h"
#include "code/symbols/disassembly/instruction_flow.h"

namespace {

using namespace wperf;

symbols::Disassembler& disassembler(symbols::InstructionSet set) {
  static auto arm64 = symbols::Disassembler::open(symbols::InstructionSet::arm64);
  static auto x64 = symbols::Disassembler::open(symbols::InstructionSet::x64);
  auto& opened = set == symbols::InstructionSet::arm64 ? arm64 : x64;
  if (!opened.has_value()) std::abort();
  return opened.value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, usize size) {
  struct {
    u8 set;
    u8 place[8];
  } head;
  if (size < sizeof head) return 0;
  std::memcpy(&head, data, sizeof head);
  u32 rva = 0, page = 0;
  std::memcpy(&rva, head.place, sizeof rva);
  std::memcpy(&page, head.place + sizeof rva, sizeof page);
  const auto set = (head.set & 1) == 0 ? symbols::InstructionSet::arm64 : symbols::InstructionSet::x64;
  const auto code = std::as_bytes(std::span(data, size).subspan(sizeof head));
  static symbols::InstructionFlows flows;
  usize at = 0;
  for (const symbols::Instruction& instruction : disassembler(set).disassemble(code, u64{page} << 16, rva)) {
    if (instruction.rva != static_cast<u32>(rva + at)) std::abort();
    if (instruction.size == 0 || instruction.mnemonic.empty()) std::abort();
    if (flows.at(set, code.subspan(at), rva + at).size > code.size() - at) std::abort();
    at += instruction.size;
  }
  if (at != code.size()) std::abort();
  return 0;
}
