// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/disassembler.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "code/symbols/disassembly/decoder.h"

namespace wperf::symbols {
namespace {

// Data between instructions, in llvm-objdump's form. Both instruction sets are little-endian.
void take_as_data(std::span<const std::byte> code, u32 unit, Instruction& out) {
  if (unit == 4 && code.size() >= 4) {
    u32 word = 0;
    for (usize i = 4; i-- > 0;) word = word << 8 | std::to_integer<u32>(code[i]);
    out.size = 4;
    out.mnemonic = ".word";
    out.operands = fmt::format("0x{:08x}", word);
    return;
  }
  out.size = 1;
  out.mnemonic = ".byte";
  out.operands = fmt::format("0x{:02x}", std::to_integer<u32>(code[0]));
}

}  // namespace

Disassembler::Disassembler(std::unique_ptr<Decoder> decoder) : decoder_(std::move(decoder)) {}
Disassembler::Disassembler(Disassembler&&) noexcept = default;
Disassembler& Disassembler::operator=(Disassembler&&) noexcept = default;
Disassembler::~Disassembler() = default;

diag::Result<Disassembler> Disassembler::open(InstructionSet set) {
  WPERF_TRY(std::unique_ptr<Decoder> decoder, make_decoder(set));
  return Disassembler(std::move(decoder));
}

std::vector<Instruction> Disassembler::disassemble(std::span<const std::byte> code, u64 image_base, u32 rva) const {
  std::vector<Instruction> instructions;
  Decoded decoded;
  for (usize at = 0; at < code.size();) {
    const std::span<const std::byte> rest = code.subspan(at);
    Instruction instruction;
    instruction.rva = static_cast<u32>(rva + at);
    if (decoder_->decode(rest, image_base + instruction.rva, decoded)) {
      instruction.size = decoded.size;
      instruction.mnemonic = std::move(decoded.mnemonic);
      instruction.operands = std::move(decoded.operands);
      const u64 target_rva = decoded.target.value_or(0) - image_base;
      if (decoded.target.has_value() && target_rva <= std::numeric_limits<u32>::max()) {
        instruction.target = static_cast<u32>(target_rva);
      }
    } else {
      take_as_data(rest, decoder_->unit(), instruction);
    }
    at += instruction.size;
    instructions.push_back(std::move(instruction));
  }
  return instructions;
}

}  // namespace wperf::symbols
