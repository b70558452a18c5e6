// SPDX-License-Identifier: BSD-3-Clause
// The program that remote.exe runs on the emulated machine: ARM64 code that uses only registers and its stack. The
// build copies it, symbols included, from the ARM64 remote.exe to the x64 remote.exe (carry_code.py).
#pragma once
#include "abi/int_types.h"

namespace wperf::remote {

// Each pass of a loop is 8 instructions; a round is 3000 passes of hot_loop and 1000 of cold_loop. So hot_loop is 3/4
// of a long run, and a run of n rounds retires a few more than kInstructionsPerRound * n instructions.
inline constexpr wperf_u64 kHotPasses = 3000, kColdPasses = 1000, kInstructionsPerPass = 8;
inline constexpr wperf_u64 kInstructionsPerRound = (kHotPasses + kColdPasses) * kInstructionsPerPass;

}  // namespace wperf::remote

#define WPERF_REMOTE_CODE __attribute__((section(".remote"), noinline, used))

extern "C" {
wperf_u64 remote_work(wperf_u64 rounds);  // 0: runs until it is stopped; returns the number of rounds
void hot_loop(wperf_u64 passes);
void cold_loop(wperf_u64 passes);
}
