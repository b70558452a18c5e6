// SPDX-License-Identifier: BSD-3-Clause
// The bounds of the functions of a PE image: from .pdata, or from the code if there are no records.
#pragma once
#include <optional>
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

// For ARM64 functions without a record, such as those that call nothing: the number of bytes up to the end of the first
// unconditional exit that no earlier branch jumps over. A jump table makes the result too small; then the rest has no
// name, but never a wrong one.
u32 arm64_flow_length(Bytes code);
// `code` has functions without records, one after another, from `begin` on. Returns the bounds of the one that contains
// `wanted`, or nullopt if that is padding or not in `code`.
std::optional<code::RvaRange> arm64_leaf(Bytes code, code::Rva begin, code::Rva wanted);

}  // namespace wperf::symbols
