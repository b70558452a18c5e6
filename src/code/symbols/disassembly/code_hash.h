// SPDX-License-Identifier: BSD-3-Clause
// A hash of a function's code. It is the same for code that differs only in its address and in the addresses it uses,
// so a function is found in another build by its contents. For comparisons of two builds.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"
#include "code/symbols/disassembly/disassembler.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

// A whole function.
struct CodeToHash {
  InstructionSet instructions = InstructionSet::arm64;
  std::span<const std::byte> bytes;
  u64 address = 0;                     // as linked
  u64 image_begin = 0, image_end = 0;  // numbers in this range are addresses; a file that may be loaded anywhere begins
                                       // at 0
};

// Shorter code is the same by chance: a getter, a forwarded call.
inline constexpr usize kFewestHashedBytes = 32;

// 0 if the function is too short to be recognised by its code. An error if this build cannot decode it.
diag::Result<u64> code_hash(const CodeToHash& code);

}  // namespace wperf::symbols
