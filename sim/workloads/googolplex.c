// SPDX-License-Identifier: BSD-3-Clause
// googolplex.exe [digits [rounds]]: computes 10^digits with bignum.dll, rounds times. Nearly all time is spent in the
// DLL. Without arguments: 100,000 digits until it is stopped.
#include "bignum.h"
#include "program.h"

static const u32 kPrime = 4294967291u;  // the largest below 2^32

static u32 expected_remainder(u64 exponent) {
  u64 result = 1;
  u64 base = 10;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * base % kPrime;
    base = base * base % kPrime;
  }
  return (u32)result;
}

static u64 trailing_zero_bits(const u32* number) {
  u64 limb = 0;
  while (number[limb] == 0) ++limb;
  return limb * 32 + (u64)__builtin_ctz(number[limb]);
}

int run(void) {
  const u64 digits = number_argument(1, 100000);
  const u64 rounds = number_argument(2, number_argument(1, 0) != 0 ? 1 : ~0ull);
  for (u64 round = 0; round < rounds; ++round) {
    u64 count = 0;
    u32* const power = big_power_of_ten(digits, &count);
    if (power == 0) return 2;
    // 10^d = 5^d * 2^d: exactly d zero bits at the end.
    const int right =
        trailing_zero_bits(power) == digits && big_remainder(power, count, kPrime) == expected_remainder(digits);
    big_release(power);
    if (!right) return 1;
    if (round == 0) print("limbs", count);
  }
  return 0;
}
