// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/arm64_flow.h"

#include <algorithm>
#include <cstdint>

namespace wperf::symbols {
namespace {

constexpr u32 kInstructionBytes = 4;
constexpr u64 kLongestFunction = 1 << 20;

// `count` bits from bit `low` on, as a signed number of instructions.
std::int64_t distance(u32 word, u32 low, u32 count) {
  const u64 bits = word >> low & ((u64{1} << count) - 1);
  const u64 sign = u64{1} << (count - 1);
  return static_cast<std::int64_t>((bits ^ sign) - sign) * kInstructionBytes;
}

bool is_branch(u32 word) {
  return (word & 0xfc000000u) == 0x14000000u;  // B
}

// How far a branch within a function jumps; 0 if the instruction is not such a branch.
std::int64_t jump_of(u32 word) {
  if (is_branch(word)) return distance(word, 0, 26);
  if ((word & 0xff000000u) == 0x54000000u) return distance(word, 5, 19);  // B.cond, BC.cond
  if ((word & 0x7e000000u) == 0x34000000u) return distance(word, 5, 19);  // CBZ, CBNZ
  if ((word & 0x7e000000u) == 0x36000000u) return distance(word, 5, 14);  // TBZ, TBNZ
  return 0;
}

// The next instruction is not reached from here: RET and BR with or without pointer authentication, B, BRK, UDF
// (padding).
bool leaves(u32 word) {
  const bool to_register = (word & 0xfe9ff000u) == 0xd61f0000u && (word & 0x00600000u) != 0x00200000u;
  return to_register || is_branch(word) || (word & 0xffe0001fu) == 0xd4200000u || word >> 16 == 0;
}

}  // namespace

u32 arm64_flow_length(Bytes code) {
  const u64 end = std::min<u64>(code.size(), kLongestFunction);
  std::int64_t reached = 0;  // the farthest that a branch has jumped to
  u32 word = 0;
  u64 at = 0;
  for (; at + kInstructionBytes <= end && bytes::read_at(code, at, word); at += kInstructionBytes) {
    const std::int64_t here = static_cast<std::int64_t>(at);
    // A branch out of the known range goes to another function.
    const std::int64_t target = here + jump_of(word);
    if (target < static_cast<std::int64_t>(end) && !(is_branch(word) && here >= reached))
      reached = std::max(reached, target);
    if (leaves(word) && here >= reached) return static_cast<u32>(at + kInstructionBytes);
  }
  return static_cast<u32>(at);
}

}  // namespace wperf::symbols
