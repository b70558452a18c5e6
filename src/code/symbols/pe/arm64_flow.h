// SPDX-License-Identifier: BSD-3-Clause
// How far ARM64 code without a length goes on: a function that calls nothing has no .pdata record, and behind it may
// stand another one that nobody named. Called by pe_file.cpp.
#pragma once
#include "code/symbols/pe/pe_bytes.h"

namespace wperf::symbols {

// Bytes from the start of `code` to behind the first instruction that leaves for good and that no branch before it
// jumps over. A jump table ends it early: what stands behind has no name then, and never a wrong one.
u32 arm64_flow_length(Bytes code);

}  // namespace wperf::symbols
