// SPDX-License-Identifier: BSD-3-Clause
#include "bignum.h"

typedef uint32_t u32;
typedef uint64_t u64;

__declspec(dllimport) void* GetProcessHeap(void);
__declspec(dllimport) void* HeapAlloc(void* heap, u32 flags, u64 size);
__declspec(dllimport) int HeapFree(void* heap, u32 flags, void* block);

enum { kKaratsubaFrom = 40 };

// Not inlined, so that a profile of the library shows its parts.
#define PROFILED __attribute__((noinline))

int dll_start(void* module, u32 reason, void* reserved) {
  (void)module;
  (void)reason;
  (void)reserved;
  return 1;
}

void* memset(void* to, int value, u64 size) {
  unsigned char* bytes = to;
  for (u64 index = 0; index < size; ++index) bytes[index] = (unsigned char)value;
  return to;
}

void* memcpy(void* to, const void* from, u64 size) {
  unsigned char* out = to;
  const unsigned char* in = from;
  for (u64 index = 0; index < size; ++index) out[index] = in[index];
  return to;
}

PROFILED void big_school_multiply(u32* product, const u32* left, const u32* right, u64 count) {
  for (u64 index = 0; index < 2 * count; ++index) product[index] = 0;
  for (u64 row = 0; row < count; ++row) {
    u64 carry = 0;
    const u64 factor = left[row];
    for (u64 column = 0; column < count; ++column) {
      carry += factor * right[column] + product[row + column];
      product[row + column] = (u32)carry;
      carry >>= 32;
    }
    product[row + count] = (u32)carry;
  }
}

// to[0 … count) += from; the carry continues above. The caller guarantees that the number has room for the carry.
PROFILED static void add_into(u32* to, const u32* from, u64 count) {
  u64 carry = 0;
  for (u64 index = 0; index < count; ++index) {
    carry += (u64)to[index] + from[index];
    to[index] = (u32)carry;
    carry >>= 32;
  }
  for (u64 index = count; carry != 0; ++index) {
    carry += to[index];
    to[index] = (u32)carry;
    carry >>= 32;
  }
}

PROFILED static void subtract_from(u32* to, const u32* from, u64 count) {
  u64 borrow = 0;
  for (u64 index = 0; index < count; ++index) {
    const u64 difference = (u64)to[index] - from[index] - borrow;
    to[index] = (u32)difference;
    borrow = difference >> 63;
  }
  for (u64 index = count; borrow != 0; ++index) {
    borrow = to[index] == 0;
    --to[index];
  }
}

// out[low_count] = |low - high|; high is shorter by at most one limb. Returns 1 if low < high.
PROFILED static int absolute_difference(u32* out, const u32* low, const u32* high, u64 low_count, u64 high_count) {
  int less = 0;
  for (u64 index = low_count; index-- > 0;) {
    const u32 other = index < high_count ? high[index] : 0;
    if (low[index] == other) continue;
    less = low[index] < other;
    break;
  }
  u64 borrow = 0;
  for (u64 index = 0; index < low_count; ++index) {
    const u32 other = index < high_count ? high[index] : 0;
    const u64 difference = (less ? (u64)other - low[index] : (u64)low[index] - other) - borrow;
    out[index] = (u32)difference;
    borrow = difference >> 63;
  }
  return less;
}

void big_karatsuba_multiply(u32* product, const u32* left, const u32* right, u64 count, u32* scratch) {
  if (count < kKaratsubaFrom) {
    big_school_multiply(product, left, right, count);
    return;
  }
  const u64 low = (count + 1) / 2;
  const u64 high = count - low;
  u32* const left_difference = scratch;
  u32* const right_difference = left_difference + low;
  u32* const middle = right_difference + low;     // 2 * low + 1 limbs
  u32* const differences = middle + 2 * low + 1;  // 2 * low limbs
  u32* const rest = differences + 2 * low;
  const int negative = absolute_difference(left_difference, left, left + low, low, high) ^
                       absolute_difference(right_difference, right, right + low, low, high);
  big_karatsuba_multiply(product, left, right, low, rest);
  big_karatsuba_multiply(product + 2 * low, left + low, right + low, high, rest);
  big_karatsuba_multiply(differences, left_difference, right_difference, low, rest);
  // left0*right1 + left1*right0 = left0*right0 + left1*right1 - (left0 - left1) * (right0 - right1)
  for (u64 index = 0; index < 2 * low; ++index) middle[index] = product[index];
  middle[2 * low] = 0;
  add_into(middle, product + 2 * low, 2 * high);
  if (negative) {
    add_into(middle, differences, 2 * low);
  } else {
    subtract_from(middle, differences, 2 * low);
  }
  u64 middle_count = 2 * low + 1;
  while (middle_count > 0 && middle[middle_count - 1] == 0) --middle_count;
  add_into(product + low, middle, middle_count);
}

u64 big_scale(u32* number, u64 count, u32 factor) {
  u64 carry = 0;
  for (u64 index = 0; index < count; ++index) {
    carry += (u64)number[index] * factor;
    number[index] = (u32)carry;
    carry >>= 32;
  }
  if (carry != 0) number[count++] = (u32)carry;
  return count;
}

u32 big_remainder(const u32* number, u64 count, u32 divisor) {
  u64 remainder = 0;
  for (u64 index = count; index-- > 0;) remainder = (remainder << 32 | number[index]) % divisor;
  return (u32)remainder;
}

u32* big_power_of_ten(u64 exponent, u64* count) {
  void* const heap = GetProcessHeap();
  // 10^e has e * log2(10) bits, and 3.33 is above log2(10); a square may briefly need one limb more than its result.
  const u64 limbs = exponent / 32 * 333 / 100 + 16;
  u32* power = HeapAlloc(heap, 0, 2 * limbs * sizeof(u32));
  u32* square = HeapAlloc(heap, 0, 2 * limbs * sizeof(u32));
  u32* const scratch = HeapAlloc(heap, 0, (8 * limbs + 256) * sizeof(u32));
  if (power == 0 || square == 0 || scratch == 0) {
    if (power != 0) HeapFree(heap, 0, power);
    if (square != 0) HeapFree(heap, 0, square);
    if (scratch != 0) HeapFree(heap, 0, scratch);
    return 0;
  }
  u64 used = 1;
  power[0] = 1;
  for (int bit = 63; bit >= 0; --bit) {
    big_karatsuba_multiply(square, power, power, used, scratch);
    used *= 2;
    while (used > 1 && square[used - 1] == 0) --used;
    u32* const swapped = power;
    power = square;
    square = swapped;
    if (exponent >> bit & 1) used = big_scale(power, used, 10);
  }
  HeapFree(heap, 0, square);
  HeapFree(heap, 0, scratch);
  *count = used;
  return power;
}

void big_release(u32* number) {
  HeapFree(GetProcessHeap(), 0, number);
}
