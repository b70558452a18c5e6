// SPDX-License-Identifier: BSD-3-Clause
// late.exe [milliseconds [rounds]]: sleeps, then works. Default 200 and 1000000.
#include "program.h"

#define WINDOWS_FUNCTION __declspec(dllimport)
WINDOWS_FUNCTION void Sleep(u32 milliseconds);

__attribute__((noinline)) static u64 late_work(u64 rounds) {
  u64 sum = 0;
  for (; rounds != 0; --rounds) {
    __asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(rounds));
  }
  return sum;
}

int run(void) {
  Sleep((u32)number_argument(1, 200));
  const u64 rounds = number_argument(2, 1000000);
  return late_work(rounds) != rounds * (rounds + 1) / 2;
}
