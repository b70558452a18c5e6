// SPDX-License-Identifier: BSD-3-Clause
// One frame of a simulated program, unwound by the tables of its image (.pdata and .xdata, "ARM64 exception handling"
// of the Windows ABI): the registers of the caller, and the handler for exceptions of the frame. Reads the program's
// memory and trusts nothing in it.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "sim/windows/guest_memory.h"
#include "sim/windows/program.h"

namespace wperf::sim {

struct FunctionEntry {
  u64 image = 0;    // the start of its image
  u64 address = 0;  // address of the entry in .pdata; 0 if there is no entry, as for a function that saves no register
  u32 begin = 0;    // the function's begin, relative to the image
  u32 unwind = 0;   // the packed codes, or the place of .xdata
};
// Returns nullopt if the address is not in an image.
std::optional<FunctionEntry> find_function_entry(const GuestMemory& memory, std::span<const Module> modules, u64 pc);
// Reads the contents of an entry whose address is known.
std::optional<FunctionEntry> read_function_entry(const GuestMemory& memory, u64 image, u64 address);

struct UnwoundFrame {
  u64 handler = 0;       // 0 without a handler
  u64 handler_data = 0;  // the compiler's data for the handler
  std::string trouble;   // the reason why the frame could not be unwound; empty on success
};
// The frame is at a call: neither in its prologue nor in its epilogue. `registers` become the caller's, after that
// call.
UnwoundFrame unwind_frame(const GuestMemory& memory, const FunctionEntry& entry, ThreadState& registers);

}  // namespace wperf::sim
