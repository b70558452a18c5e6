// SPDX-License-Identifier: BSD-3-Clause
// Machine code of a module whose file is at hand.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"
#include "code/symbols/disassembly/disassembler.h"

namespace wperf::modules {

struct CodeBytes {
  symbols::InstructionSet instructions = symbols::InstructionSet::arm64;
  std::span<const std::byte> bytes;
  u64 base = 0;   // address of RVA 0, as disassembly shows it
  u32 first = 0;  // RVA of the first byte; in ELF files an offset
};

}  // namespace wperf::modules
