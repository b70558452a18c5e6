// SPDX-License-Identifier: BSD-3-Clause
// What a recording knows of time, beside the totals of its StackProfile: when each sample was taken, what threads did,
// counters, marks and losses. Plain columns in the order of the file; filled by recording and commands where a view
// asks for them, read by exports and by the HTML report. Times are nanoseconds of the recording's own clock.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/stacks/core_kinds.h"
#include "model/stacks/growing_array.h"

namespace wperf::stacks {

// Of what was counted, in the order of the file: times may go back a little. Twelve bytes for each.
struct SampleMoments {
  GrowingArray<u64> times_ns;  // 0: the recording does not say
  GrowingArray<u32> rows;      // in StackProfile::samples
  usize size() const { return rows.size(); }
};

// unknown: no record covers it. Only pages are given such times.
enum class ThreadDoing : u8 { running, ready, waiting, unknown };

struct ThreadState {
  u64 begin_ns = 0, end_ns = 0;
  u32 task = 0;          // in StackProfile::tasks; threads that were never sampled stand there, too
  u32 node = kNothing;   // waiting, and ready behind it: where in StackProfile::nodes it waits
  u32 waker = kNothing;  // the task that ended the wait; of ready and waiting
  u16 core = 0;          // of running
  u8 wait_class = 0;     // of waiting: an index into Moments::wait_classes
  ThreadDoing doing = ThreadDoing::running;
};

// The value of a point before which nothing was counted: there was a pause, or its turn never came.
inline constexpr u64 kNotCounted = ~u64{0};

struct CounterPoint {
  u64 time_ns = 0, value = 0;
};

// What was counted since the point before, at each point; only the counts of `stat -t` have points that are
// kNotCounted.
struct CounterTrack {
  std::string name;
  std::string unit;     // "", or "bytes"
  u32 core = kNothing;  // else of a task
  u32 task = kNothing;
  GrowingArray<CounterPoint> points;
};

enum class MarkKind : u8 { program_begins, thread_begins, ends };

struct Mark {
  u64 time_ns = 0;
  u32 pid = 0, tid = 0;
  MarkKind kind = MarkKind::program_begins;
  std::string text;  // the program's name; empty: nothing to add
};

// What was lost, where the recording says when. On all cores if `core` is kNothing.
struct TimedLoss {
  u64 begin_ns = 0, end_ns = 0;  // equal: told at this moment, lost before it
  u32 core = kNothing;
  u64 count = 0;     // 0: not told
  std::string what;  // "records", "events", "buffers"
};

struct Moments {
  u64 begin_ns = 0, end_ns = 0;  // of all that follows
  u64 begin_unix_ns = 0;         // begin_ns by the clock on the wall; 0: the recording does not say
  SampleMoments samples;
  std::vector<std::string> wait_classes;  // "lock", "I/O", …
  std::vector<ThreadState> states;        // by task, then by begin; empty: the recording has no switches
  std::vector<CounterTrack> counters;
  std::vector<Mark> marks;        // by time
  std::vector<TimedLoss> losses;  // by begin
};

}  // namespace wperf::stacks
