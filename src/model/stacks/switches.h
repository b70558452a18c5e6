// SPDX-License-Identifier: BSD-3-Clause
// What a scheduler told: which thread left a core and which came, and who made whom ready. Made of recordings and
// traces by recording, read by thread_times.
#pragma once
#include "base/ints.h"

namespace wperf::stacks {

inline constexpr u32 kNobody = ~u32{0};
inline constexpr u32 kUnknown = ~u32{1};
inline constexpr u32 kNoSample = ~u32{0};
inline constexpr u32 kIdleThread = 0;  // of every core
inline constexpr u8 kNoReason = 255;

enum class Kind : u8 {
  switched,
  woken,    // from a wait
  created,  // ready for the first time
};

// Time that interrupts took on a core, whoever was there: service routines, and what they left for later (DPCs).
struct InterruptTimes {
  u64 isr = 0, dpc = 0;  // nanoseconds, without what interrupted them in turn
  u64 count = 0;
};

// Nothing is known of a core between two moments: what was recorded there was lost, or the recording ends before others
// do.
inline constexpr u16 kEveryCore = 0xffff;
struct Unrecorded {
  u64 begin = 0, end = 0;  // nanoseconds
  u16 core = kEveryCore;
};

// Why a thread left its core.
enum class Leaving : u8 { waits, preempted, ended, unknown };

struct Switch {
  u64 time = 0;  // nanoseconds
  // A thread; woken and created: who did it. kNobody: no thread, an interrupt; of `switched` it is not known.
  u32 leaves = kNobody;
  u32 comes = kNobody;     // a thread; woken and created: the one that is ready now
  u32 sample = kNoSample;  // of the recording: its stack tells where `leaves` is, or who interrupted it
  u16 core = 0;
  Kind kind = Kind::switched;
  Leaving leaving = Leaving::unknown;
  u8 reason = kNoReason;  // the system's own number for it
};

}  // namespace wperf::stacks
