// SPDX-License-Identifier: BSD-3-Clause
// The bounds of the functions of a PE image: from .pdata and .xdata, or from the code if there are no records.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pe/image_tables.h"

namespace wperf::symbols {

// Finds the bounds of functions in the exception directory (.pdata) of ARM64 and x64 images.
struct ExceptionRecord {
  code::RvaRange range;
  u32 unwind_word = 0;  // second word of an ARM64 record; kX64Unwind for x64
};

// No ARM64 record in the table has both low bits set.
inline constexpr u32 kX64Unwind = ~u32{0};

// Appends the valid records of a directory, in the same order.
void read_arm64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out);
// A record that continues another one (chained unwind information), and is inside it or follows it without a gap, is
// merged with it.
void read_x64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out);

// Interprets the second word of an ARM64 .pdata record and the .xdata that it may point to ("ARM64 exception handling"
// of the Windows ABI): the length of the function, and the instructions during which the return address is on the
// stack.

// The size in bytes of the function or fragment; nullopt if the record is damaged or its kind has no length.
std::optional<u32> arm64_function_length(const ImageBytes& image, u32 unwind_word);

// Has lr been saved and not yet been restored just before the instruction at `offset` (from the start of the function)
// runs? If so, lr itself may have any value; if not, it has the return address.
bool arm64_return_address_saved(const ImageBytes& image, u32 unwind_word, u32 offset);

// The place just before the instruction at `offset` runs.
code::CallerPlace arm64_caller_place(const ImageBytes& image, u32 unwind_word, u32 offset);

// The length of ARM64 code that has no record. A function that calls nothing has no .pdata record, and the next
// function may have no name.

// The number of bytes up to the end of the first unconditional exit that no earlier branch jumps over. A jump table
// makes the result too small; then the rest has no name, but never a wrong one.
u32 arm64_flow_length(Bytes code);

}  // namespace wperf::symbols
