// SPDX-License-Identifier: BSD-3-Clause
// Sums of squares in 128 bits, without a compiler's own wide integers (MSVC has none).
#pragma once
#include "base/ints.h"

namespace wperf {

struct Wide {
  u64 low = 0;
  u64 high = 0;
};

constexpr Wide square(u64 value) {
  const u64 low = value & 0xffffffff;
  const u64 high = value >> 32;
  const u64 middle = low * high;  // twice in the square, at bit 32
  Wide result{low * low, high * high + (middle >> 31)};
  const u64 shifted = middle << 33;
  result.low += shifted;
  result.high += result.low < shifted ? 1 : 0;
  return result;
}

constexpr void add_to(Wide& sum, Wide more) {
  sum.low += more.low;
  sum.high += more.high + (sum.low < more.low ? 1 : 0);
}

}  // namespace wperf
