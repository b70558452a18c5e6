// SPDX-License-Identifier: BSD-3-Clause
// What threads did with their time: running, ready to run, waiting. Pure. Called by commands.
//
// A thread's wall time begins where something is known of it: at the start of the recording, if its first switch says
// what it did until then, else at that switch. Running, ready and waiting add up to it, to the nanosecond. Where events
// were lost, so that two of them contradict each other, the time between them is nobody's and is counted apart.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "waits/switches.h"

namespace wperf::waits {

enum class State : u8 { unknown, running, ready, waiting };

struct ThreadTimes {
  u32 thread = 0;
  u64 running = 0, ready = 0, waiting = 0;
  u64 preempted = 0;      // the part of `ready` that began with losing the core
  u64 contradictory = 0;  // not part of the wall time
  u64 switches = 0;       // times it came to a core
  u64 waits = 0;
  u64 longest_wait = 0;
  bool was_there = false;  // when the recording began
  bool has_ended = false;
  u64 wall() const { return running + ready + waiting; }
};

// One wait: from leaving the core to being made ready, and on to the core.
struct Wait {
  u64 begin = 0, woken = 0, resumed = 0;  // one that lasts longer than the recording ends with it
  u32 thread = 0;                         // index into threads
  u32 waker = kUnknown;                   // a thread's number, or kNobody: an interrupt
  u32 sample = kNoSample;                 // where it waits
  u32 wake_sample = kNoSample;            // where the waker was
  u8 reason = kNoReason;
  bool has_begin = true;  // else it began before the recording
  bool has_end = false;   // else it lasts on
  bool is_known = true;   // false: events of it were lost, nothing is known of its length
  u64 length() const { return woken - begin; }
  u64 latency() const { return resumed - woken; }
};

struct CoreTimes {
  u64 busy = 0,
      idle = 0;  // together: since the start, if the first switch says who ran until then, else since that switch
  u64 switches = 0;
};

// One thread in one state.
struct Stretch {
  u32 thread = 0;  // index
  State state = State::unknown;
  bool preempted = false;
  u16 core = 0;  // of running
  u64 begin = 0, end = 0;
  u32 wait = ~u32{0};      // of waiting, and of ready behind it: index
  u32 sample = kNoSample;  // of running: where it left its core
};

// A thread that was ready for the first time, and who made it.
struct Birth {
  u32 thread = 0;  // index
  u32 maker = kUnknown;
  u64 time = 0;
  u32 sample = kNoSample;  // where the maker was
};

struct Accounting {
  u64 begin = 0, end = 0;
  std::vector<ThreadTimes> threads;  // in the order in which they were met
  std::vector<Wait> waits;           // by begin, as they came
  std::vector<Birth> births;         // by time
  std::vector<CoreTimes> cores;
  u64 switches = 0, wakeups = 0;
  u64 contradictions = 0;  // events that cannot be true, if all before them are
};

using TakeStretch = std::function<void(const Stretch&)>;

// `switches`: by time. The recording lasted from `begin` to `end`.
Accounting account(std::span<const Switch> switches, u64 begin, u64 end, const TakeStretch& take = {});

}  // namespace wperf::waits
