// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's records: which thread stopped running on a core, which thread started, and which thread woke another
// one. Made from recordings and traces.
#pragma once
#include "base/ints.h"

namespace wperf::stacks {

inline constexpr u32 kNobody = ~u32{0};
inline constexpr u32 kUnknown = ~u32{1};
inline constexpr u32 kNoSample = ~u32{0};
inline constexpr u32 kIdleThread = 0;  // the idle thread of every core
inline constexpr u8 kNoReason = 255;

enum class Kind : u8 {
  switched,
  woken,    // made ready after a wait
  created,  // a new thread, ready for the first time
  renamed,  // the thread `leaves` continues under the number `comes`
};

// The time of interrupts on a core, whichever thread was running: service routines and deferred procedure calls (DPCs).
struct InterruptTimes {
  u64 isr = 0, dpc = 0;  // nanoseconds, without nested interrupts
  u64 count = 0;
};

// For a period in which a core's state is unknown: its records were lost, or its recording ended before the recordings
// of other cores.
inline constexpr u16 kEveryCore = 0xffff;
struct Unrecorded {
  u64 begin = 0, end = 0;  // nanoseconds
  u16 core = kEveryCore;
};

// For a switch whose core was not recorded.
inline constexpr u16 kUnknownCore = 0xffff;

// The reason why a thread left its core.
enum class Leaving : u8 { waits, preempted, ended, unknown };

struct Switch {
  u64 time = 0;  // nanoseconds
  // The thread that leaves. For woken and created: the thread that woke or created the other thread; kNobody for an
  // interrupt. For switched: kNobody if not known.
  u32 leaves = kNobody;
  u32 comes = kNobody;     // the thread that starts to run; for woken and created: the thread that is now ready
  u32 sample = kNoSample;  // index of a sample in the recording. The sample's stack shows where `leaves` is, or the
                           // code that interrupted it
  u16 core = 0;
  Kind kind = Kind::switched;
  Leaving leaving = Leaving::unknown;
  u8 reason = kNoReason;  // the system's number for the reason
};

}  // namespace wperf::stacks
