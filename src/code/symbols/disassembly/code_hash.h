// SPDX-License-Identifier: BSD-3-Clause
// A number for the work of code: the same for code that differs only in its address and in the addresses it uses, so
// that a function is found in another build by its contents. For comparisons of two builds.
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
  u64 image_begin = 0, image_end = 0;  // numbers within are addresses; a file that may lie anywhere begins at 0
};

// So little code is the same by chance: a getter, a call that is passed on.
inline constexpr usize kFewestHashedBytes = 32;

// 0: the function is too short to be recognised by its code. An error if this build cannot decode it.
diag::Result<u64> code_hash(const CodeToHash& code);

}  // namespace wperf::symbols
