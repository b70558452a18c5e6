// SPDX-License-Identifier: BSD-3-Clause
// Finds callers through the chain of frame records that the Windows ABI requires: x29 points to {x29 of the caller,
// return address}. The memory belongs to the program and may hold anything. A record counts only if it is aligned,
// within the stack and above the previous one, so every chain ends; the first record that breaks this rule ends the
// walk. Pure.
#pragma once
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

enum class CodeSpace : u8 { user, kernel };

// The range of addresses in which frame records may lie.
struct StackRange {
  u64 low, high;
};

inline constexpr u64 kUserEnd = u64{1} << 47;
inline constexpr u64 kNearStack = 1 << 20;  // Windows' default size of a thread's stack

// The part of a program's stack that records may lie in: from its stack pointer to the end of the thread's stack, as
// given by `limits`. If that end is unknown or another stack is in use (for example a coroutine's), the part is as
// large as a usual stack. x29 may hold any value, so the part needs a bound.
constexpr StackRange user_stack_above(u64 sp, StackRange limits) {
  if (sp >= kUserEnd) {
    return {kUserEnd, kUserEnd};
  }
  const u64 near = kUserEnd - sp > kNearStack ? sp + kNearStack : kUserEnd;
  const u64 end = sp >= limits.low && sp < limits.high ? limits.high : near;
  return {sp, end < kUserEnd ? end : kUserEnd};
}

// The address a return would go to, without the signature of pointer authentication; 0 if it is not in that address
// space. Bit 55 selects the half of the address space, whatever the bits above it are.
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
  bool cut;  // there are more frames
};

// Return addresses, innermost first, at most `most`. read(address, record) fills the two words of a record, or returns
// false if it cannot.
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

// A shell calls this in the interrupted thread. `limits` are the limits of the thread's stack, or empty if unknown.
// Changes only `stack`; read() may block for ever.
template <typename Read>
void walk_user_stack(const UserWalkStart& start, StackRange limits, WalkedStack& stack, Read read) {
  const WalkedChain chain = walk_frame_records(start.fp, user_stack_above(start.sp, limits), CodeSpace::user,
                                               stack.addresses, start.most, read);
  stack.frames = chain.frames;
  stack.cut = chain.cut;
}

}  // namespace wperf::driver
