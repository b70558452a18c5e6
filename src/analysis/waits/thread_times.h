// SPDX-License-Identifier: BSD-3-Clause
// The states of threads over time: running, ready to run, waiting. Pure.
//
// A thread's wall time begins at the start of the recording if its first switch shows its state until then, otherwise
// at that switch. Running, ready, waiting and unknown add up to it, to the nanosecond.
//
// Time without records is unknown. While a core is not recorded, its state is unknown, and so is that of each thread
// that is on no other core, because this core may run it. The first event of a thread after such a time shows its state
// since then: a thread that is made ready was waiting, one that comes to a core was ready. A wait before and after the
// gap is one wait, without the time of the gap. A thread without further events stays unknown: it may have ended there.
// The time between two events that contradict each other is unknown, too.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "model/stacks/switches.h"

namespace wperf::waits {

enum class State : u8 { unknown, running, ready, waiting };

struct ThreadTimes {
  u32 thread = 0;
  u64 running = 0, ready = 0, waiting = 0;
  u64 preempted = 0;  // the part of `ready` that began with losing the core
  u64 unknown = 0;
  u64 switches = 0;  // number of switches to a core
  u64 waits = 0;
  u64 longest_wait = 0;
  bool was_there = false;  // when the recording began
  bool has_ended = false;
  u64 wall() const { return running + ready + waiting + unknown; }
};

// One wait: from leaving the core to being made ready, and on to the core.
struct Wait {
  u64 begin = 0, woken = 0, resumed = 0;  // a wait that lasts longer than the recording ends with it
  u64 unknown = 0, unknown_ready = 0;     // time without records: before it was woken, and after
  u32 thread = 0;                         // index into threads
  u32 waker = stacks::kUnknown;           // a thread's number, or kNobody for an interrupt
  u32 sample = stacks::kNoSample;         // the sample with the place of the wait
  u32 wake_sample = stacks::kNoSample;    // the sample with the place of the waker
  u8 reason = stacks::kNoReason;
  bool has_begin = true;  // false if it began before the recording
  bool has_end = false;   // false if it continues
  bool is_known = true;   // false if events of it were lost, so its length is unknown
  u64 length() const { return woken - begin - unknown; }
  u64 latency() const { return resumed - woken - unknown_ready; }
};

struct CoreTimes {
  u64 busy = 0, idle = 0, unknown = 0;  // together: the whole recording
  u64 switches = 0;
};

// One thread in one state. Unknown states exist only for existing threads.
struct Stretch {
  u32 thread = 0;  // index
  State state = State::unknown;
  bool preempted = false;
  u16 core = 0;  // if running; kUnknownCore if not recorded
  u64 begin = 0, end = 0;
  u32 wait = ~u32{0};              // for waiting, and the ready state after it: index
  u32 sample = stacks::kNoSample;  // for running: the sample at which it left its core
};

// A thread that was ready for the first time, and the thread that made it.
struct Birth {
  u32 thread = 0;  // index
  u32 maker = stacks::kUnknown;
  u64 time = 0;
  u32 sample = stacks::kNoSample;  // the sample with the place of the maker
};

struct Accounting {
  u64 begin = 0, end = 0;
  std::vector<ThreadTimes> threads;  // in order of appearance
  std::vector<Wait> waits;           // by begin
  std::vector<Birth> births;         // by time
  std::vector<CoreTimes> cores;
  u64 switches = 0, wakeups = 0;
  u64 contradictions = 0;  // events that contradict earlier ones
};

using TakeStretch = std::function<void(const Stretch&)>;

// `switches`: by time. The recording lasted from `begin` to `end`.
Accounting account(std::span<const stacks::Switch> switches, std::span<const stacks::Unrecorded> unrecorded, u64 begin,
                   u64 end, const TakeStretch& take = {});

}  // namespace wperf::waits
