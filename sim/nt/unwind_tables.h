// SPDX-License-Identifier: BSD-3-Clause
// One frame of a simulated program, unwound by the tables of its image (.pdata and .xdata, "ARM64 exception handling"
// of the Windows ABI). Reads the program's memory and trusts nothing in it.
#pragma once
#include <span>

#include "sim/nt/guest_memory.h"
#include "sim/nt/program.h"

namespace wperf::sim {

// `registers` are the registers of a frame that waits for a call to return; they become the registers of its caller.
// Returns false if the function has no table (a function that saves no register has none), or if the table or the stack
// cannot be read.
[[nodiscard]] bool unwind_frame(const GuestMemory& memory, std::span<const Module> modules, ThreadState& registers);

}  // namespace wperf::sim
