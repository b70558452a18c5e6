// SPDX-License-Identifier: BSD-3-Clause
// The times in a recording, in addition to the totals in its StackProfile: the times of samples, states of threads,
// counters, marks and losses. They are plain columns in the order of the file, filled only if a view asks for them.
// Times are nanoseconds of the recording's own clock.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/recording_about.h"

namespace wperf::stacks {

// One entry for each counted sample, in the order of the file; times may go back a little. Each takes twelve bytes.
struct SampleMoments {
  GrowingArray<u64> times_ns;  // 0 if the recording has no time
  GrowingArray<u32> rows;      // indices into StackProfile::samples
  usize size() const { return rows.size(); }
};

// unknown: no record covers the time. Only HTML pages get such times.
enum class ThreadDoing : u8 { running, ready, waiting, unknown };

struct ThreadState {
  u64 begin_ns = 0, end_ns = 0;
  u32 task = 0;          // index into StackProfile::tasks, which also has threads that were never sampled
  u32 node = kNothing;   // where the thread waits or waited: index into StackProfile::nodes
  u32 waker = kNothing;  // for ready and waiting: the task that ended the wait
  u16 core = 0;          // for running: the core; kUnknownCore if not recorded
  u8 wait_class = 0;     // for waiting: index into Moments::wait_classes
  ThreadDoing doing = ThreadDoing::running;
};

// The value of a point without a count, because of a pause or because the event was not scheduled yet.
inline constexpr u64 kNotCounted = ~u64{0};

struct CounterPoint {
  u64 time_ns = 0, value = 0;
};

// At each point, the increase since the previous point. Only counts of `stat -t` have points that are kNotCounted.
struct CounterTrack {
  std::string name;
  std::string unit;     // "", or "bytes"
  u32 core = kNothing;  // kNothing if the counter belongs to a task
  u32 task = kNothing;
  GrowingArray<CounterPoint> points;
};

enum class MarkKind : u8 { program_begins, thread_begins, ends };

struct Mark {
  u64 time_ns = 0;
  u32 pid = 0, tid = 0;
  MarkKind kind = MarkKind::program_begins;
  std::string text;  // the program's name; may be empty
};

// A loss with a known time. It concerns all cores if `core` is kNothing.
struct TimedLoss {
  u64 begin_ns = 0, end_ns = 0;  // if equal, the loss was reported at this time and happened before it
  u32 core = kNothing;
  u64 count = 0;     // 0: not known
  std::string what;  // "records", "events", "buffers"
};

struct Moments {
  u64 begin_ns = 0, end_ns = 0;  // the time range of everything below
  u64 begin_unix_ns = 0;         // begin_ns as wall-clock time; 0 if not recorded
  SampleMoments samples;
  std::vector<std::string> wait_classes;  // "lock", "I/O", …
  std::vector<ThreadState> states;        // ordered by task, then by begin; empty if the recording has no context
                                          // switches
  std::vector<CounterTrack> counters;
  std::vector<Mark> marks;        // ordered by time
  std::vector<TimedLoss> losses;  // ordered by begin
};

// The stacks of a recording as lists of addresses, for views of single samples.
inline constexpr u64 kNoOffset = ~u64{0};

struct LineFrame {
  u64 address = 0;
  u64 offset = kNoOffset;  // offset from the beginning of its function
  u32 place = 0;           // index of a place of the profile
};

// The profile's samples as stacks of addresses, innermost first. At an address, frames of inlined functions precede the
// function that contains them.
struct LineStacks {
  std::vector<LineFrame> frames;
  std::vector<u32> frame_begins;  // by address: where its frames begin in `frames`; with one extra entry at the end
  std::vector<u32> addresses;
  std::vector<u64> stack_begins;  // by row: where its addresses begin in `addresses`; with one extra entry at the end
};

}  // namespace wperf::stacks
