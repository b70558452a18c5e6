// SPDX-License-Identifier: BSD-3-Clause
// The numbers of Go's function table that go/ knows. The offsets in records apply to Go 1.18 and later; in earlier
// versions a record begins with an address of 8 bytes instead of 4.
#pragma once
#include "base/ints.h"

namespace wperf::symbols::go {

// The magic of tables since this version of Go.
inline constexpr u32 kMagic20 = 0xfffffff1, kMagic18 = 0xfffffff0, kMagic16 = 0xfffffffa, kMagic2 = 0xfffffffb;

inline constexpr u64 kPaddingAt = 4, kQuantumAt = 6, kPointerSizeAt = 7, kCountAt = 8;
inline constexpr u64 kTextAt = 24;
// The offsets of names, units, files, values and functions.
inline constexpr u64 kParts = 5, kPartsAt18 = 32, kPartsAt16 = 24;
inline constexpr u64 kFunctionsAt2 = 16;

// Offsets in a function's record.
inline constexpr u64 kFileListAt = 20, kLineListAt = 24, kUnitAt = 32;

// Offsets in moduledata, which describes a program's parts and begins with the addresses of the table and of its names.
inline constexpr u64 kFirstCodeAt = 160, kModuleTextAt = 176, kModuleBytes = 192;

}  // namespace wperf::symbols::go
