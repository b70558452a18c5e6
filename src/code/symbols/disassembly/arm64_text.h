// SPDX-License-Identifier: BSD-3-Clause
// Converts ARM64 instructions to the assembler's text if Capstone's text differs.
#pragma once
#include "code/symbols/disassembly/decoder.h"

namespace wperf::symbols {

// Instructions of Armv8.1 and later that the disassembly library does not know or only calls `hint`: atomics,
// load-acquire RCpc, pointer authentication, dot products. Windows' own DLLs have many of them. This table is tried
// before the library.

// Returns false if it is not an instruction of these extensions.
bool decode_arm64_later(u32 word, Decoded& out);

// Changes the library's spelling of ARM64 code to llvm-objdump's, which readers of WindowsPerf's output know: `mov w0,
// #0x1` for `movz w0, #1`, addresses without '#'.
void respell_arm64(u32 word, Decoded& decoded);
// The target of a direct branch or call.
std::optional<u64> arm64_branch_target(u32 word, u64 address);

}  // namespace wperf::symbols
