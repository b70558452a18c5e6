// SPDX-License-Identifier: BSD-3-Clause
// simd.exe [rounds]: three NEON kernels over arrays that stay in the first-level cache: an integer dot product, a
// float multiply-add and a byte minimum and maximum. Default 2,000 rounds.
#include <arm_neon.h>

#include "program.h"

enum { kCount = 4096 };

static int16_t left_numbers[kCount], right_numbers[kCount];
static float slopes[kCount], sums[kCount];
static u8 bytes[kCount];

__attribute__((noinline)) static int64_t dot_product(void) {
  int32x4_t low = vdupq_n_s32(0);
  int32x4_t high = vdupq_n_s32(0);
  for (u32 index = 0; index < kCount; index += 8) {
    const int16x8_t left = vld1q_s16(left_numbers + index);
    const int16x8_t right = vld1q_s16(right_numbers + index);
    low = vmlal_s16(low, vget_low_s16(left), vget_low_s16(right));
    high = vmlal_high_s16(high, left, right);
  }
  return vaddlvq_s32(low) + vaddlvq_s32(high);
}

__attribute__((noinline)) static void multiply_add(float factor) {
  for (u32 index = 0; index < kCount; index += 4) {
    vst1q_f32(sums + index, vfmaq_n_f32(vld1q_f32(sums + index), vld1q_f32(slopes + index), factor));
  }
}

__attribute__((noinline)) static u32 byte_range(void) {
  uint8x16_t least = vdupq_n_u8(255);
  uint8x16_t greatest = vdupq_n_u8(0);
  for (u32 index = 0; index < kCount; index += 16) {
    const uint8x16_t piece = vld1q_u8(bytes + index);
    least = vminq_u8(least, piece);
    greatest = vmaxq_u8(greatest, piece);
  }
  return (u32)vmaxvq_u8(greatest) - vminvq_u8(least);
}

int run(void) {
  const u64 rounds = number_argument(1, 2000);
  int64_t expected = 0;
  for (u32 index = 0; index < kCount; ++index) {
    left_numbers[index] = (int16_t)(index % 200 - 100);
    right_numbers[index] = (int16_t)(index % 7);
    expected += left_numbers[index] * right_numbers[index];
    slopes[index] = (float)(index % 16);
    bytes[index] = (u8)(10 + index % 90);
  }
  int wrong = 0;
  for (u64 round = 0; round < rounds; ++round) {
    wrong |= dot_product() != expected;
    multiply_add(0.25f);
    wrong |= byte_range() != 89;
  }
  // Small integers times a quarter: exact as long as they fit the 24 bits of a float.
  if (rounds <= 100000) wrong |= sums[15] != 15 * 0.25f * (float)rounds;
  print("rounds", rounds);
  return wrong;
}
