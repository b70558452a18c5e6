// SPDX-License-Identifier: BSD-3-Clause
// The states of threads over time: running, ready to run, waiting. Pure.
//
// If a thread's first switch shows its state until then, its wall time begins with the recording; otherwise it begins
// with that switch. Running, ready, waiting and unknown time add up to the wall time exactly.
//
// While a core is not recorded, its state is unknown. The state of each thread that is not on another core is also
// unknown, because the thread may be running on the unrecorded core. The first event of a thread after such a gap shows
// its state since the gap: a thread that is woken was waiting, and a thread that comes to a core was ready. A wait that
// is cut by a gap counts as two waits, because the thread may have run in the gap. The first has no end; the second has
// no begin and no known place. A thread without further events remains unknown, because it may have ended.
// The time between two contradictory events is unknown, too.
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
  u64 preempted = 0;  // the part of `ready` after the thread lost its core
  u64 unknown = 0;
  u64 contradictions = 0, contradicted = 0;  // contradictory events, and the part of `unknown` between them
  u64 switches = 0;                          // number of switches to a core
  u64 waits = 0;
  u64 longest_wait = 0;
  bool was_there = false;  // the thread existed when the recording began
  bool has_ended = false;
  u64 wall() const { return running + ready + waiting + unknown; }
};

// One wait: from leaving the core to being woken, and then until the thread runs.
struct Wait {
  u64 begin = 0, woken = 0, resumed = 0;  // if a wait lasts beyond the recording, these are the end of the recording
  u64 unknown = 0, unknown_ready = 0;     // unrecorded time before and after it was woken
  u32 thread = 0;                         // index into threads
  u32 waker = stacks::kUnknown;           // the number of a thread, or kNobody for an interrupt
  u32 sample = stacks::kNoSample;         // the sample with the place of the wait
  u32 wake_sample = stacks::kNoSample;    // the sample with the place of the waker
  u8 reason = stacks::kNoReason;
  bool has_begin = true;  // false if it began before the recording
  bool has_end = false;   // false if it had not ended
  bool is_cut = false;    // it ended in a gap, at an unknown time
  bool is_last = false;   // its thread did not wait again
  bool is_known = true;   // false if some of its events were lost, so that its length is unknown
  u64 length() const { return woken - begin - unknown; }
  u64 latency() const { return resumed - woken - unknown_ready; }
};

struct CoreTimes {
  u64 busy = 0, idle = 0, unknown = 0;  // these add up to the whole recording
  u64 switches = 0;
};

// A period of one thread in one state. Only existing threads can be in the unknown state.
struct Stretch {
  u32 thread = 0;  // index
  State state = State::unknown;
  bool preempted = false;
  u16 core = 0;  // for running: kUnknownCore if not recorded
  u64 begin = 0, end = 0;
  u32 wait = ~u32{0};              // for waiting, and for the ready state after it: index of the wait
  u32 sample = stacks::kNoSample;  // for running: the sample at which it left its core
};

// A new thread that became ready for the first time, and the thread that created it.
struct ThreadStart {
  u32 thread = 0;  // index
  u32 maker = stacks::kUnknown;
  u64 time = 0;
  u32 sample = stacks::kNoSample;  // the sample with the place of the creator
};

struct Accounting {
  u64 begin = 0, end = 0;
  std::vector<ThreadTimes> threads;        // in order of appearance
  std::vector<Wait> waits;                 // ordered by begin
  std::vector<ThreadStart> thread_starts;  // ordered by time
  std::vector<CoreTimes> cores;
  u64 switches = 0, wakeups = 0;
  u64 contradictions = 0;  // events that contradict earlier ones
};

using TakeStretch = std::function<void(const Stretch&)>;

// `switches`: ordered by time. The recording lasted from `begin` to `end`.
Accounting account(std::span<const stacks::Switch> switches, std::span<const stacks::Unrecorded> unrecorded, u64 begin,
                   u64 end, const TakeStretch& take = {});

}  // namespace wperf::waits
