// SPDX-License-Identifier: BSD-3-Clause
// Typed addresses, because the same number means different places in a file, in an image and in a process.
#pragma once
#include <compare>

#include "base/ints.h"

namespace wperf::code {

// The maximum number of functions at one address, including inlined ones. A damaged file may have thousands.
inline constexpr usize kMostFrames = 64;

struct Rva {  // offset from the address where an image is loaded
  u32 value = 0;
  friend auto operator<=>(Rva, Rva) = default;
};

struct RvaRange {
  Rva begin, end;  // end is one past the last byte
  bool contains(Rva rva) const { return begin <= rva && rva < end; }
};

struct AddressRange {      // linked addresses, or addresses in a process
  u64 begin = 0, end = 0;  // end is one past the last byte; equal if not known
  bool contains(u64 address) const { return begin <= address && address < end; }
};

// The location of a function's return address just before one of its ARM64 instructions runs.
enum class CallerPlace : u8 {
  link_register,
  frame_record,  // in the function's own frame record, to which x29 points
  stack          // elsewhere on the stack; only unwinding finds it, and x29 is still the caller's
};

struct Guid {
  u32 data1 = 0;
  u16 data2 = 0, data3 = 0;
  u8 data4[8] = {};
  friend bool operator==(const Guid&, const Guid&) = default;
};

// Identifies the PDB of an image: both members must agree.
struct PdbId {
  Guid guid;
  u32 age = 0;
  friend bool operator==(const PdbId&, const PdbId&) = default;
};

}  // namespace wperf::code
