// SPDX-License-Identifier: BSD-3-Clause
// The bounds of the functions of a PE image: from .pdata and .xdata, or from the code if those lack them.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pe/image_tables.h"

namespace wperf::symbols {

// The exception directory (.pdata) of ARM64 and x64 images → where functions begin and end.
struct ExceptionRecord {
  code::RvaRange range;
  u32 unwind_word = 0;  // ARM64: the record's second word; kX64Unwind for x64
};

// No ARM64 record in the table has both low bits set.
inline constexpr u32 kX64Unwind = ~u32{0};

// Appends the valid records of a directory, in its order.
void read_arm64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out);
// Records that continue another one (chained unwind information), and lie in it or follow it without a gap, are part of
// it.
void read_x64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out);

// The second word of an ARM64 .pdata record and the .xdata it may point to ("ARM64 exception handling" of the Windows
// ABI): how long a function is, and between which of its instructions the return address lies on the stack.

// Bytes of the function or fragment; nullopt if the record is damaged or of a kind without a length.
std::optional<u32> arm64_function_length(const ImageBytes& image, u32 unwind_word);

// True if lr has been saved and not restored yet when the instruction at `offset` (from the start of the function) is
// about to run: lr itself may hold any value then. False if lr holds the return address.
bool arm64_return_address_saved(const ImageBytes& image, u32 unwind_word, u32 offset);

// The instruction at `offset` is about to run.
code::CallerPlace arm64_caller_place(const ImageBytes& image, u32 unwind_word, u32 offset);

// The extent of ARM64 code without a length: a function that calls nothing has no .pdata record, and another function
// without a name may follow it.

// Bytes from the start of `code` to the end of the first unconditional exit that no earlier branch jumps over. A jump
// table ends it too early: then the rest has no name, but never a wrong one.
u32 arm64_flow_length(Bytes code);

}  // namespace wperf::symbols
