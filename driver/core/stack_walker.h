// SPDX-License-Identifier: BSD-3-Clause
// Who called, by the chain of frame records that the Windows ABI demands: x29 points to {x29 of the caller, return
// address}. Memory is somebody else's and may hold anything: a record counts only if it lies aligned within the stack
// and above the one before, so no chain is endless; the first that does not ends it. Pure.
#pragma once
#include "base/ints.h"

namespace wperf::driver {

enum class CodeSpace : u8 { user, kernel };

// Where frame records may lie.
struct StackRange {
  u64 low, high;
};

inline constexpr u64 kUserEnd = u64{1} << 47;

// The address a return would go to, without the signature of pointer authentication; 0 if it is none of that space.
// Bit 55 tells the halves of the address space apart, whatever the bits above it are used for.
constexpr u64 return_address(u64 saved, CodeSpace space) {
  constexpr u64 kAddressBits = (u64{1} << 48) - 1;
  const bool upper = ((saved >> 55) & 1) != 0;
  if (upper != (space == CodeSpace::kernel)) {
    return 0;
  }
  const u64 address = upper ? saved | ~kAddressBits : saved & kAddressBits;
  return upper || (address >= 0x1'0000 && address < kUserEnd) ? address : 0;
}

struct WalkedChain {
  u32 frames;
  bool cut;  // there are more
};

// Return addresses, innermost first, at most `most`. read(address, record) fills the two words of a record; false: it
// cannot.
template <typename Read>
WalkedChain walk_frame_records(u64 fp, StackRange stack, CodeSpace space, u64* frames, u32 most, Read read) {
  constexpr u64 kRecordBytes = 16;
  WalkedChain chain = {0, false};
  u64 low = stack.low;
  u64 record[2] = {};
  while (fp % 8 == 0 && fp >= low && fp < stack.high && stack.high - fp >= kRecordBytes) {
    if (chain.frames == most) {
      chain.cut = true;
      break;
    }
    if (!read(fp, record)) {
      break;
    }
    const u64 address = return_address(record[1], space);
    if (address == 0) {
      break;
    }
    frames[chain.frames++] = address;
    low = fp + kRecordBytes;
    fp = record[0];
  }
  return chain;
}

}  // namespace wperf::driver
