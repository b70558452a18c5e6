// SPDX-License-Identifier: BSD-3-Clause
// How far ARM64 code without a length goes on: a function that calls nothing has no .pdata record, and another function
// without a name may follow it.
#pragma once
#include "code/symbols/pe/pe_bytes.h"

namespace wperf::symbols {

// Bytes from the start of `code` to the end of the first instruction that leaves for good and that no branch before it
// jumps over. A jump table ends it early: then the rest has no name, but never a wrong one.
u32 arm64_flow_length(Bytes code);

}  // namespace wperf::symbols
