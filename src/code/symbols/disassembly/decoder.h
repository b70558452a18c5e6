// SPDX-License-Identifier: BSD-3-Clause
// Decodes one instruction at a time; this interface hides the disassembly library.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "code/symbols/disassembly/disassembler.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

// The position of a field within an instruction, in bytes.
struct InstructionField {
  u8 offset = 0, size = 0;
};

struct Decoded {
  u32 size = 0;
  std::string mnemonic, operands;
  std::optional<u64> target;  // target address of a direct branch or call
  // Only for x64; empty if the instruction has none.
  InstructionField displacement = {}, immediate = {};
  bool relative_to_code = false;  // the displacement is relative to the instruction
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Decodes the instruction at the start of `code`, which is loaded at `address`. Returns false if the bytes are not an
  // instruction of this set.
  virtual bool decode(std::span<const std::byte> code, u64 address, Decoded& out) = 0;
  // The number of bytes to skip if there is no instruction.
  virtual u32 unit() const = 0;
};

diag::Result<std::unique_ptr<Decoder>> make_decoder(InstructionSet set);

}  // namespace wperf::symbols
