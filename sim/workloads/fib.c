// SPDX-License-Identifier: BSD-3-Clause
// fib.exe [n]: Fibonacci number n, recursively: 2 * fib(n + 1) - 1 calls. Default 35.
#include "program.h"

__attribute__((noinline, disable_tail_calls)) static u64 fib(u64 n) {
  if (n < 2) return n;
  return fib(n - 1) + fib(n - 2);
}

static u64 fib_by_adding(u64 n) {
  u64 current = 0;
  u64 next = 1;
  for (; n != 0; --n) {
    const u64 sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

int run(void) {
  const u64 n = number_argument(1, 35);
  const u64 result = fib(n);
  print("fib", result);
  return result != fib_by_adding(n);
}
