// SPDX-License-Identifier: BSD-3-Clause
// Finds where execution continues after an instruction, for finding basic blocks. For Arm64 code this needs no
// disassembly library.
#pragma once
#include <memory>
#include <optional>
#include <span>

#include "base/ints.h"
#include "code/symbols/disassembly/decoder.h"

namespace wperf::symbols {

struct InstructionFlow {
  u32 size = 0;               // in bytes; 0 if the bytes are not an instruction, or this build cannot decode them
  bool ends_block = false;    // it is a jump or a return; a call does not end a block, because it returns
  bool falls_through = true;  // the next instruction may follow, also after a call; false after returns and traps
  bool is_branch = false;     // a jump, call or return
  bool is_indirect = false;   // a jump to an address in a register or in memory
  std::optional<u64> target = std::nullopt;  // of a direct jump or call
};

class InstructionFlows {
 public:
  InstructionFlow at(InstructionSet set, std::span<const std::byte> code, u64 address);
  // Why this build cannot decode the instruction set; nullopt if it can, or if decoding was not tried.
  const std::optional<diag::Error>& error() const { return error_; }

 private:
  std::unique_ptr<Decoder> decoder_;
  std::optional<diag::Error> error_;
  Decoded decoded_;
};

}  // namespace wperf::symbols
