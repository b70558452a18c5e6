// SPDX-License-Identifier: BSD-3-Clause
// Code that programs generate at run time has no call frame information. This file recognises one kind by its bytes:
// CPython's trampolines for x86-64 (-X perf, up to 3.14), which have no frame pointer either. Each Python function has
// its own trampoline.
#pragma once
#include "code/unwind/frame_program.h"

namespace wperf::unwind {

// The number of bytes before and after an address that are needed to recognise a trampoline.
inline constexpr usize kCallStubReach = 10;

// `code`: kCallStubReach bytes before the address, the byte at the address, and as many bytes after it. Returns null if
// the code is not a trampoline.
const FrameRow* call_stub_row(symbols::Bytes code);

}  // namespace wperf::unwind
