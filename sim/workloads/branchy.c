// SPDX-License-Identifier: BSD-3-Clause
// branchy.exe [iterations]: per iteration one branch that goes either way at random, one that is taken once in eight
// and one that a predictor learns. Default 5,000,000 iterations.
#include "program.h"

// An empty statement the compiler cannot see through: it keeps branches from becoming conditional selects.
#define KEEP_BRANCH(value) __asm__ volatile("" : "+r"(value))

__attribute__((noinline)) static u64 even_odds(u64 random, u64 count) {
  if (random >> 63) {
    ++count;
    KEEP_BRANCH(count);
  }
  return count;
}

__attribute__((noinline)) static u64 one_in_eight(u64 random, u64 count) {
  if ((random >> 60 & 7) == 5) {
    ++count;
    KEEP_BRANCH(count);
  }
  return count;
}

__attribute__((noinline)) static u64 every_fourth(u64 index, u64 count) {
  if ((index & 3) == 0) {
    ++count;
    KEEP_BRANCH(count);
  }
  return count;
}

int run(void) {
  const u64 iterations = number_argument(1, 5000000);
  u64 random = 1;
  u64 even = 0, eighth = 0, fourth = 0;
  for (u64 index = 0; index < iterations; ++index) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    even = even_odds(random, even);
    eighth = one_in_eight(random, eighth);
    fourth = every_fourth(index, fourth);
  }
  print("even", even);
  print("eighth", eighth);
  return fourth != (iterations + 3) / 4;
}
