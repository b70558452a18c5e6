// SPDX-License-Identifier: BSD-3-Clause
// The bounds of the functions of a PE image: from .pdata, or from the code if there are no records.
#pragma once
#include <span>
#include <vector>

#include "code/symbols/pe/image_tables.h"

namespace wperf::symbols {

// A record of the exception directory (.pdata) of ARM64 and x64 images.
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

// `functions` must be ordered. Returns the index of the first function that begins after the address.
usize function_after(std::span<const code::RvaRange> functions, code::Rva rva);
// Returns the index of the function that contains the address, or functions.size() if no function does.
usize find_function(std::span<const code::RvaRange> functions, code::Rva rva);

// For an ARM64 function without a record, such as a leaf function: the number of bytes up to the end of the first
// unconditional exit that no earlier branch jumps over. A jump table makes the result too small; the remaining code
// then has no name, but never a wrong one.
u32 arm64_flow_length(Bytes code);
// Appends the bounds of functions without records, which lie one after another in `code`. `begin`: its address.
void append_arm64_functions(Bytes code, code::Rva begin, std::vector<code::RvaRange>& out);

}  // namespace wperf::symbols
