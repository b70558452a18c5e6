// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/link_register.h"

#include <algorithm>

namespace wperf::sim {
namespace {

constexpr u32 bits(u32 word, u32 low, u32 count) {
  return word >> low & ((1U << count) - 1);
}

bool branch_writes(u32 word, u32 number) {
  const bool link = number == kLinkRegister;
  if (word >> 26 == 0x25) return link;  // BL
  if (word >> 25 == 0x6b) {             // branch (register)
    const u32 operation = bits(word, 21, 4);
    return link && (operation == 1 || operation == 9);  // BLR, BLRA*
  }
  const bool to_register = (word & 0xffe00000) == 0xd5200000;  // MRS, SYSL
  return to_register && bits(word, 0, 5) == number;
}

bool access_writes(u32 word, u32 number) {
  const u32 kind = bits(word, 27, 3);
  const bool vector = bits(word, 26, 1) != 0;
  const bool to = bits(word, 0, 5) == number, second = bits(word, 10, 5) == number, base = bits(word, 5, 5) == number;
  const bool status = bits(word, 16, 5) == number;
  switch (kind) {
    case 1: {  // exclusive, ordered, compare and swap; vector structures
      if (vector) return bits(word, 23, 1) != 0 && base;
      const bool load = bits(word, 22, 1) != 0;
      const bool swap = bits(word, 21, 1) != 0 && bits(word, 23, 1) != 0;
      if (swap) return status;
      const bool ordered = bits(word, 23, 1) != 0, pair = bits(word, 21, 1) != 0;
      return load ? to || (pair && second) : !ordered && status;
    }
    case 3:  // literal
      return !vector && to && bits(word, 30, 2) != 3;
    case 5: {  // pairs
      const bool writes_back = bits(word, 23, 1) != 0;
      return (!vector && bits(word, 22, 1) != 0 && (to || second)) || (writes_back && base);
    }
    case 7: {
      const bool indexed = bits(word, 24, 1) == 0 && bits(word, 21, 1) == 0 && bits(word, 10, 1) != 0;
      const bool atomic = bits(word, 24, 1) == 0 && bits(word, 21, 1) != 0 && bits(word, 10, 2) == 0;
      const bool prefetch = bits(word, 30, 2) == 3 && bits(word, 22, 2) == 2;
      const bool load = bits(word, 22, 2) != 0 && !prefetch;
      return (!vector && to && (load || atomic)) || (indexed && base);
    }
    default:
      return false;
  }
}

// Conversions and moves from a vector register to a general one.
bool vector_writes(u32 word, u32 number) {
  if (bits(word, 0, 5) != number) return false;
  const bool element = (word & 0xbfe0fc00) == 0x0e003c00 || (word & 0xbfe0fc00) == 0x0e002c00;  // UMOV, SMOV
  const bool convert = (word & 0x5f20fc00) == 0x1e200000;
  const bool fixed = (word & 0x5f200000) == 0x1e000000;
  if (!convert && !fixed) return element;
  const u32 operation = bits(word, 16, 3);
  return operation != 2 && operation != 3 && operation != 7;  // the other operations write a vector register
}

}  // namespace

bool writes_register(u32 word, u32 number) {
  switch (bits(word, 25, 4)) {
    case 8:
    case 9:  // data processing with an immediate
      // Compares and tests have register 31 as their target.
      return bits(word, 0, 5) == number;
    case 10:
    case 11:
      return branch_writes(word, number);
    case 4:
    case 6:
    case 12:
    case 14:
      return access_writes(word, number);
    case 5:
    case 13:  // data processing of registers; conditional compares have flags in that field, at most 15
      return bits(word, 0, 5) == number;
    case 7:
    case 15:
      return vector_writes(word, number);
    default:
      return false;
  }
}

RegisterValue register_value_at(std::span<const u32> code, u32 at, u32 number) {
  at = std::min(at, static_cast<u32>(code.size()));
  u32 before = at;  // the instruction after the previous writer
  while (before != 0 && !writes_register(code[before - 1], number)) --before;
  if (before == 0) return {};
  u32 next = at;
  while (next != code.size() && !writes_register(code[next], number)) ++next;
  if (next == code.size()) return {RegisterValue::From::end, 0, 0};
  return {RegisterValue::From::within, before, next};
}

}  // namespace wperf::sim
