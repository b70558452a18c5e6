// SPDX-License-Identifier: BSD-3-Clause
// stream.exe [MiB [repetitions]]: copy, scale, add and triad over three arrays of `MiB` each. README.md has the exact
// number of bytes moved. Defaults: 32 MiB, 10 repetitions.
#include "program.h"

enum { kScaleInverse = 2 };  // scaling by 1/2 never rounds

__attribute__((noinline)) static void fill(double* to, double value, u64 count) {
  for (u64 index = 0; index < count; ++index) to[index] = value;
}

__attribute__((noinline)) static void copy(double* restrict to, const double* restrict from, u64 count) {
  for (u64 index = 0; index < count; ++index) to[index] = from[index];
}

__attribute__((noinline)) static void scale(double* restrict to, const double* restrict from, u64 count) {
  for (u64 index = 0; index < count; ++index) to[index] = from[index] / kScaleInverse;
}

__attribute__((noinline)) static void add(double* restrict to, const double* restrict left,
                                          const double* restrict right, u64 count) {
  for (u64 index = 0; index < count; ++index) to[index] = left[index] + right[index];
}

__attribute__((noinline)) static void triad(double* restrict to, const double* restrict left,
                                            const double* restrict right, u64 count) {
  for (u64 index = 0; index < count; ++index) to[index] = left[index] + right[index] / kScaleInverse;
}

int run(void) {
  const u64 bytes = number_argument(1, 32) << 20;
  const u64 repetitions = number_argument(2, 10);
  const u64 count = bytes / sizeof(double);
  double* const a = take_pages(bytes);
  double* const b = take_pages(bytes);
  double* const c = take_pages(bytes);
  if (count == 0 || a == 0 || b == 0 || c == 0) return 2;
  fill(a, 1.0, count);
  fill(b, 2.0, count);
  fill(c, 0.0, count);
  double expected = 1.0;
  for (u64 repetition = 0; repetition < repetitions; ++repetition) {
    copy(c, a, count);
    scale(b, c, count);
    add(c, a, b, count);
    triad(a, b, c, count);
    const double expected_b = expected / kScaleInverse;  // the same roundings as one element
    expected = expected_b + (expected + expected_b) / kScaleInverse;
  }
  print("mib", bytes >> 20);
  return !(a[0] == expected && a[count / 2] == expected && a[count - 1] == expected);
}
