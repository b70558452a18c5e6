/* SPDX-License-Identifier: BSD-3-Clause */
extern volatile int sink;

static int helper(int value) {
  sink = value;
  if (value > 3) {
    int again = value * sink;
    sink = again;
    return again;
  }
  return sink;
}

__attribute__((noinline)) static int kept(int value) {
#line 100 "generated/table.inc"
  sink = value + 1;
  return helper(value) + helper(value + 1);
}

int in_c(int value) {
  return kept(value) + helper(value);
}
