// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/instruction_flow.h"

#include <cstring>
#include <string_view>

#include "code/symbols/disassembly/arm64_text.h"
#include "code/symbols/disassembly/x64_flow.h"

namespace wperf::symbols {
namespace {

InstructionFlow arm64_flow(u32 word, u64 address) {
  const bool is_jump = (word & 0xfc000000u) == 0x14000000u;                                          // B, not BL
  const bool is_conditional = (word & 0xff000000u) == 0x54000000u;                                   // B.cond
  const bool compares = (word & 0x7e000000u) == 0x34000000u || (word & 0x7e000000u) == 0x36000000u;  // CBZ, TBZ
  const bool leaves = (word & 0xfe200000u) == 0xd6000000u;                                           // BR, RET, not BLR
  const bool calls = (word & 0xfc000000u) == 0x94000000u || (word & 0xfe200000u) == 0xd6200000u;     // BL, BLR
  const bool traps = (word & 0xffe0001fu) == 0xd4200000u || (word & 0xffff0000u) == 0;               // BRK, UDF
  const bool ends_block = is_jump || is_conditional || compares || leaves || traps;
  return {.size = sizeof word,
          .ends_block = ends_block,
          .falls_through = !is_jump && !leaves && !traps,
          .is_branch = (ends_block && !traps) || calls,
          .is_indirect = leaves && (word >> 21 & 7) == 0,  // BR, BRAA
          .target = arm64_branch_target(word, address)};
}

InstructionFlow x64_flow(const Decoded& decoded) {
  std::string_view word = decoded.mnemonic;
  word.remove_prefix(word.rfind(' ') + 1);  // "bnd jmp"
  const bool jumps = word.starts_with("j") || word.starts_with("loop");
  const bool returns = word.starts_with("ret") || word.starts_with("iret");
  const bool traps = word == "ud2" || word == "int3" || word == "hlt";
  const bool always = word.starts_with("jmp") || word.starts_with("ljmp");
  return {.size = decoded.size,
          .ends_block = jumps || returns || traps,
          .falls_through = !always && !returns && !traps,
          .is_branch = jumps || returns || word.starts_with("call"),
          .is_indirect = always && !decoded.target.has_value(),
          .target = decoded.target};
}

}  // namespace

InstructionFlow InstructionFlows::at(InstructionSet set, std::span<const std::byte> code, u64 address) {
  if (set == InstructionSet::arm64) {
    u32 word = 0;
    if (code.size() < sizeof word) return {};
    std::memcpy(&word, code.data(), sizeof word);
    return arm64_flow(word, address);
  }
  if (set == InstructionSet::x64) {
    if (const auto flow = common_x64_flow(code, address); flow.has_value()) return *flow;
  }
  if (decoder_ == nullptr && !error_.has_value()) {
    auto made = make_decoder(set);
    if (made.has_value()) {
      decoder_ = std::move(made).value();
    } else {
      error_ = std::move(made).error();
    }
  }
  if (decoder_ == nullptr || !decoder_->decode(code, address, decoded_)) return {};
  return x64_flow(decoded_);
}

}  // namespace wperf::symbols
