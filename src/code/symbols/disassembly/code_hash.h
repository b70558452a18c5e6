// SPDX-License-Identifier: BSD-3-Clause
// A hash of a function's code, used to find the function in another build. It does not depend on the function's address
// or on the addresses in its code.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"
#include "code/symbols/disassembly/disassembler.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

// The code of a whole function.
struct CodeToHash {
  InstructionSet instructions = InstructionSet::arm64;
  std::span<const std::byte> bytes;
  u64 address = 0;                     // linked address
  u64 image_begin = 0, image_end = 0;  // numbers in this range are addresses; a file that may be loaded anywhere begins
                                       // at 0
};

// Shorter functions, such as getters and forwarded calls, are often equal by chance.
inline constexpr usize kFewestHashedBytes = 32;

// Returns 0 if the function is too short to be recognised, and an error if this build cannot decode it.
diag::Result<u64> code_hash(const CodeToHash& code);

}  // namespace wperf::symbols
