// SPDX-License-Identifier: BSD-3-Clause
// Code that programs make at run time has no call frame information. This knows one kind of it by its bytes: CPython's
// trampolines for x86-64 (-X perf, up to 3.14), which keep no frame pointer either. Each function of Python has one.
#pragma once
#include "code/unwind/frame_program.h"

namespace wperf::unwind {

// The code before and after an address that has to be known to recognise a trampoline.
inline constexpr usize kCallStubReach = 10;

// `code`: kCallStubReach bytes before the address, its own byte, and as many after it. Null if it is no such code.
const FrameRow* call_stub_row(symbols::Bytes code);

}  // namespace wperf::unwind
