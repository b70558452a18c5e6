// SPDX-License-Identifier: BSD-3-Clause
// The answers of `wperf waits`, with names. Made by commands, written by report. Times are nanoseconds.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "waits/thread_times.h"
#include "waits/wait_classes.h"

namespace wperf::waits {

struct ThreadRow {
  std::string name;
  u32 process = 0, thread = 0;
  ThreadTimes times;
  std::array<u64, kWaitClasses> by_class{};  // of times.waiting
};

// Waits in one function.
struct FunctionRow {
  std::string function, module;  // empty: nobody knows
  WaitClass wait = WaitClass::unexplained;
  u64 count = 0, total = 0, median = 0, most_of_99_percent = 0, longest = 0;
  std::string waker;  // who ended most of them, by total time; empty: nobody knows
};

// Who waited for whom.
struct WakerRow {
  std::string waiter, waker;  // "name (tid)"
  u64 count = 0, waited = 0;
  u64 latency = 0;  // from being ready to running, all together
};

// Who ran on the core that somebody who was ready came to.
struct StarvedRow {
  std::string ready, ran;
  u64 time = 0, times = 0;
};

struct CoreRow {
  u32 core = 0;
  CoreTimes times;
};

// One stretch of one thread's time.
struct StretchRow {
  State state = State::unknown;
  bool preempted = false;
  u64 from = 0, length = 0;  // from: since the recording began
  u32 core = 0;
  std::string function;  // where it waited
  WaitClass wait = WaitClass::unexplained;
  std::string waker;
};

struct WaitReport {
  std::string file;
  u64 duration = 0;
  u64 switches = 0, wakeups = 0, contradictions = 0;
  u64 lost_records = 0;
  bool has_wakeups = true, has_stacks = true, has_other_samples = false;
  u64 threads_in_all = 0;  // the tables may be of fewer
  std::vector<ThreadRow> threads;
  std::vector<FunctionRow> functions;
  std::vector<WakerRow> wakers;
  std::vector<StarvedRow> starved;
  std::vector<CoreRow> cores;
  std::string timeline_of;  // a thread; empty: not asked for
  bool has_others = false;  // threads that were chosen, too, and have a timeline of their own
  std::vector<StretchRow> timeline;
};

}  // namespace wperf::waits
