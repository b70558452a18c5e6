// SPDX-License-Identifier: BSD-3-Clause
// The library's spelling of ARM64 code → llvm-objdump's, which readers of WindowsPerf's output know: `mov w0, #0x1` for
// `movz w0, #1`, addresses without '#'.
#pragma once
#include "code/symbols/disassembly/decoder.h"

namespace wperf::symbols {

void respell_arm64(u32 word, Decoded& decoded);
// Where a direct branch or call goes.
std::optional<u64> arm64_branch_target(u32 word, u64 address);

}  // namespace wperf::symbols
