// SPDX-License-Identifier: BSD-3-Clause
// The exception directory (.pdata) of ARM64 and x64 images → where functions begin and end.
#pragma once
#include <vector>

#include "code/symbols/pe/pe_bytes.h"

namespace wperf::symbols {

struct ExceptionRecord {
  code::RvaRange range;
  u32 unwind_word = 0;  // ARM64: the record's second word; kX64Unwind for x64
};

// No ARM64 record in the table has both low bits set.
inline constexpr u32 kX64Unwind = ~u32{0};

// Appends the sound records of a directory, in its order.
void read_arm64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out);
// Records that continue another one (chained unwind information) and lie in it or follow it without a gap are part of
// it.
void read_x64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out);

}  // namespace wperf::symbols
