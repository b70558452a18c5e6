// SPDX-License-Identifier: BSD-3-Clause
// Bit fields of registers and bit sets. Pure.
#pragma once
#include "base/ints.h"

namespace wperf {

// The `width` bits of `value` that start at bit `low`.
constexpr u64 bit_field(u64 value, u32 low, u32 width) {
  return (value >> low) & (width >= 64 ? ~u64{0} : (u64{1} << width) - 1);
}

constexpr u32 low_bits(u32 count) {
  return count >= 32 ? ~u32{0} : (u32{1} << count) - 1;
}

constexpr u32 count_ones(u64 bits) {
  u32 count = 0;
  for (; bits != 0; bits &= bits - 1) {
    ++count;
  }
  return count;
}

}  // namespace wperf
