// SPDX-License-Identifier: BSD-3-Clause
#include "tests/windows/remote/remote_work.h"

using namespace wperf::remote;

// Two loops of the same eight instructions: only their names and their share of the time differ.
#define WPERF_REMOTE_LOOP(passes)     \
  asm volatile(                       \
      "1:\n"                          \
      "  add x9, x9, #1\n"            \
      "  eor x10, x10, x9\n"          \
      "  add x11, x11, x10, lsl #1\n" \
      "  orr x12, x12, x11\n"         \
      "  sub x13, x13, x12\n"         \
      "  and x14, x14, x13\n"         \
      "  subs %0, %0, #1\n"           \
      "  b.ne 1b\n"                   \
      : "+r"(passes)                  \
      :                               \
      : "x9", "x10", "x11", "x12", "x13", "x14", "cc")

extern "C" {

WPERF_REMOTE_CODE void hot_loop(wperf_u64 passes) {
  WPERF_REMOTE_LOOP(passes);
}

WPERF_REMOTE_CODE void cold_loop(wperf_u64 passes) {
  WPERF_REMOTE_LOOP(passes);
}

WPERF_REMOTE_CODE wperf_u64 remote_work(wperf_u64 rounds) {
  wperf_u64 done = 0;
  while (rounds == 0 || done < rounds) {
    hot_loop(kHotPasses);
    cold_loop(kColdPasses);
    ++done;
  }
  return done;
}
}
