// SPDX-License-Identifier: BSD-3-Clause
// The records of a scheduler: which thread left a core and which came, and which thread made another ready. Made of
// recordings and traces.
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
  renamed,  // `leaves` goes on as `comes`: a thread got another number
};

// The time of interrupts on a core, whichever thread was running: service routines, and their deferred work (DPCs).
struct InterruptTimes {
  u64 isr = 0, dpc = 0;  // nanoseconds, without the interrupts in between
  u64 count = 0;
};

// The state of a core is unknown between two moments: its records were lost, or the recording ends before that of
// others.
inline constexpr u16 kEveryCore = 0xffff;
struct Unrecorded {
  u64 begin = 0, end = 0;  // nanoseconds
  u16 core = kEveryCore;
};

// The core of a switch was not recorded.
inline constexpr u16 kUnknownCore = 0xffff;

// Why a thread left its core.
enum class Leaving : u8 { waits, preempted, ended, unknown };

struct Switch {
  u64 time = 0;  // nanoseconds
  // A thread. For woken and created: the thread that did it, kNobody for an interrupt. For switched: kNobody if not
  // known.
  u32 leaves = kNobody;
  u32 comes = kNobody;     // a thread; for woken and created: the one that is now ready
  u32 sample = kNoSample;  // in the recording: its stack shows where `leaves` is, or the code that interrupted it
  u16 core = 0;
  Kind kind = Kind::switched;
  Leaving leaving = Leaving::unknown;
  u8 reason = kNoReason;  // the system's own number for it
};

}  // namespace wperf::stacks
