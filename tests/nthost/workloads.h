// SPDX-License-Identifier: BSD-3-Clause
// Code whose number of instructions is known by construction (workloads.S). Position-independent: scenarios run it at
// EL1 where it is linked, or copy it to any address of a process.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

extern "C" {
// Sums 1 + 1 + … `iterations` times and returns the sum: two functions, so that the link register is known too.
u64 known_work(u64 iterations);
extern const u8 known_work_begin[], known_loop_begin[], known_loop_end[], known_loop_caller[], known_work_end[];

// Calls itself, each time with a frame record; the low 16 bits of the argument are the number of calls. Then it spins;
// the bits above are the number of rounds, and 0 means for ever.
u64 deep_work(u64 argument);
extern const u8 deep_work_begin[], deep_loop_begin[], deep_loop_end[], deep_caller[], deep_work_end[];

// Spins for ever with the given frame pointer and without a frame.
u64 framed_work(u64 frame_pointer);
extern const u8 framed_work_begin[], framed_loop_begin[], framed_work_end[];

// Calls endless_hot(3 n) and endless_cold(n) in turn for ever: three quarters of the time are spent in the first.
u64 endless_work(u64 n);
extern const u8 endless_work_begin[], endless_hot[], endless_cold[], endless_cold_end[], endless_work_end[];
}

constexpr u64 kInstructionsPerIteration = 4;
constexpr u64 known_work_instructions(u64 iterations) {
  return kInstructionsPerIteration * iterations + 9;
}

inline u64 offset_in(const u8* code, const u8* place) {
  return static_cast<u64>(place - code);
}

}  // namespace wperf::nthost
