// SPDX-License-Identifier: BSD-3-Clause
// The times in a recording, in addition to the totals of its StackProfile: when each sample was taken, states of
// threads, counters, marks and losses. Plain columns in the order of the file; filled only if a view asks for them.
// Times are nanoseconds of the recording's own clock.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/recording_about.h"

namespace wperf::stacks {

// One entry per counted sample, in the order of the file: times may go back a little. Twelve bytes for each.
struct SampleMoments {
  GrowingArray<u64> times_ns;  // 0 if the recording does not say
  GrowingArray<u32> rows;      // in StackProfile::samples
  usize size() const { return rows.size(); }
};

// unknown: no record covers it. Only HTML pages get such times.
enum class ThreadDoing : u8 { running, ready, waiting, unknown };

struct ThreadState {
  u64 begin_ns = 0, end_ns = 0;
  u32 task = 0;          // in StackProfile::tasks, which also has threads that were never sampled
  u32 node = kNothing;   // if waiting, or ready afterwards: the place of the wait, in StackProfile::nodes
  u32 waker = kNothing;  // if ready or waiting: the task that ended the wait
  u16 core = 0;          // if running; kUnknownCore if not recorded
  u8 wait_class = 0;     // if waiting: an index into Moments::wait_classes
  ThreadDoing doing = ThreadDoing::running;
};

// The value of a point without a count before it: there was a pause, or the event was not scheduled yet.
inline constexpr u64 kNotCounted = ~u64{0};

struct CounterPoint {
  u64 time_ns = 0, value = 0;
};

// The increase since the previous point, at each point; only the counts of `stat -t` have points that are kNotCounted.
struct CounterTrack {
  std::string name;
  std::string unit;     // "", or "bytes"
  u32 core = kNothing;  // kNothing if it was counted for a task
  u32 task = kNothing;
  GrowingArray<CounterPoint> points;
};

enum class MarkKind : u8 { program_begins, thread_begins, ends };

struct Mark {
  u64 time_ns = 0;
  u32 pid = 0, tid = 0;
  MarkKind kind = MarkKind::program_begins;
  std::string text;  // the program's name; empty if there is nothing to add
};

// A loss, if the recording says when. On all cores if `core` is kNothing.
struct TimedLoss {
  u64 begin_ns = 0, end_ns = 0;  // if equal, reported at this moment and lost before it
  u32 core = kNothing;
  u64 count = 0;     // 0: not known
  std::string what;  // "records", "events", "buffers"
};

struct Moments {
  u64 begin_ns = 0, end_ns = 0;  // of everything below
  u64 begin_unix_ns = 0;         // begin_ns as wall-clock time; 0 if the recording does not say
  SampleMoments samples;
  std::vector<std::string> wait_classes;  // "lock", "I/O", …
  std::vector<ThreadState> states;        // by task, then by begin; empty: the recording has no switches
  std::vector<CounterTrack> counters;
  std::vector<Mark> marks;        // by time
  std::vector<TimedLoss> losses;  // by begin
};

// The stacks of a recording as lists of addresses, for views of single samples.
inline constexpr u64 kNoOffset = ~u64{0};

struct LineFrame {
  u64 address = 0;
  u64 offset = kNoOffset;  // from where its function begins
  u32 place = 0;           // of the profile
};

// The stacks of the profile's samples by address, the innermost first. An address has frames of inlined functions
// before its own.
struct LineStacks {
  std::vector<LineFrame> frames;
  std::vector<u32> frame_begins;  // by address, in frames; with one extra at the end
  std::vector<u32> addresses;
  std::vector<u64> stack_begins;  // by row, in addresses; with one extra at the end
};

}  // namespace wperf::stacks
