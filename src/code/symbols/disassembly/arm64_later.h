// SPDX-License-Identifier: BSD-3-Clause
// Instructions of Armv8.1 and later that the disassembly library does not know or only calls `hint`: atomics,
// load-acquire RCpc, pointer authentication, dot products. Windows' own DLLs are full of them. Asked before the
// library.
#pragma once
#include "code/symbols/disassembly/decoder.h"

namespace wperf::symbols {

// False: not an instruction of these extensions.
bool decode_arm64_later(u32 word, Decoded& out);

}  // namespace wperf::symbols
