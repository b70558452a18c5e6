// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/instruction_flow.h"

#include <cstring>
#include <string_view>

#include "code/symbols/disassembly/arm64_text.h"
#include "code/symbols/disassembly/x64_flow.h"

namespace wperf::symbols {
namespace {

bool ends_arm64_block(u32 word) {
  const bool is_jump = (word & 0xfc000000u) == 0x14000000u;                                          // B, not BL
  const bool is_conditional = (word & 0xff000000u) == 0x54000000u;                                   // B.cond
  const bool compares = (word & 0x7e000000u) == 0x34000000u || (word & 0x7e000000u) == 0x36000000u;  // CBZ, TBZ
  const bool is_indirect = (word & 0xfe200000u) == 0xd6000000u;                                      // BR, RET, not BLR
  const bool traps = (word & 0xffe0001fu) == 0xd4200000u || (word & 0xffff0000u) == 0;               // BRK, UDF
  return is_jump || is_conditional || compares || is_indirect || traps;
}

bool ends_x64_block(std::string_view mnemonic) {
  mnemonic.remove_prefix(mnemonic.rfind(' ') + 1);  // "bnd jmp"
  for (const std::string_view beginning : {"j", "ret", "iret", "loop"}) {
    if (mnemonic.starts_with(beginning)) return true;
  }
  return mnemonic == "ud2" || mnemonic == "int3" || mnemonic == "hlt";
}

}  // namespace

InstructionFlow InstructionFlows::at(InstructionSet set, std::span<const std::byte> code, u64 address) {
  if (set == InstructionSet::arm64) {
    u32 word = 0;
    if (code.size() < sizeof word) return {};
    std::memcpy(&word, code.data(), sizeof word);
    return {.size = sizeof word, .ends_block = ends_arm64_block(word), .target = arm64_branch_target(word, address)};
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
  return {.size = decoded_.size, .ends_block = ends_x64_block(decoded_.mnemonic), .target = decoded_.target};
}

}  // namespace wperf::symbols
