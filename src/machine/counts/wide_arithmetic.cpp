// SPDX-License-Identifier: BSD-3-Clause
#include "machine/counts/wide_arithmetic.h"

namespace wperf::counts {

Wide multiply(u64 a, u64 b) {
  constexpr u64 kHalf = 0xffffffffu;
  const u64 low = (a & kHalf) * (b & kHalf);
  const u64 middle_a = (a >> 32) * (b & kHalf) + (low >> 32);
  const u64 middle_b = (a & kHalf) * (b >> 32) + (middle_a & kHalf);
  return {.low = (middle_b << 32) | (low & kHalf), .high = (a >> 32) * (b >> 32) + (middle_a >> 32) + (middle_b >> 32)};
}

WideQuotient divide(Wide dividend, u64 divisor) {
  WideQuotient result;
  result.quotient.high = dividend.high / divisor;
  u64 remainder = dividend.high % divisor;
  // The low word bit by bit. `carry` is bit 64 of the shifted remainder; the subtraction is right modulo 2^64.
  for (int bit = 63; bit >= 0; --bit) {
    const bool carry = (remainder >> 63) != 0;
    remainder = (remainder << 1) | ((dividend.low >> bit) & 1u);
    if (carry || remainder >= divisor) {
      remainder -= divisor;
      result.quotient.low |= u64{1} << bit;
    }
  }
  result.remainder = remainder;
  return result;
}

bool less(Wide a, Wide b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

Wide subtract(Wide a, Wide b) {
  return {.low = a.low - b.low, .high = a.high - b.high - (a.low < b.low ? 1u : 0u)};
}

double to_double(Wide value) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  return static_cast<double>(value.high) * kTwoTo64 + static_cast<double>(value.low);
}

u64 saturate(Wide value) {
  return value.high != 0 ? ~u64{0} : value.low;
}

}  // namespace wperf::counts
