// SPDX-License-Identifier: BSD-3-Clause
// The .etl that the fake of Windows' tracing leaves: the events of a machine, in the order and form in which Windows
// writes them.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "machine/etw/trace_requests.h"

namespace wperf::etw::fake {

struct FakeSample {
  u64 time_ns = 0, address = 0;
  u32 process = 0, thread = 0, source = 0;
  u16 core = 0;
  std::vector<u64> kernel_frames, user_frames;  // innermost first, with the sampled instruction
};
struct FakeImage {
  std::string path;
  u64 base = 0, size = 0;
};
struct FakeProcess {
  u32 process = 0, parent = 0;
  std::string path;
  std::vector<u32> threads;
  std::vector<FakeImage> images;
};

// An action of the scheduler.
struct FakeSwitch {
  enum class Kind : u8 { switched, readied, thread_began, thread_ended };
  u64 time_ns = 0;
  Kind kind = Kind::switched;
  u16 core = 0;
  u32 process = 0, thread = 0;          // the thread that is switched in, becomes ready, begins or ends
  u32 old_process = 0, old_thread = 0;  // the thread that is switched out or causes the action; 0 if no thread does
  u8 state = 0, reason = 0;             // of the thread that is switched out
  std::vector<u64> kernel_frames, user_frames;
  std::vector<u64> counts;  // values of the counted sources
};

struct FakeTrace {
  std::string file;
  u32 build = 0, mode = 0, processors = 0;
  u64 begin_ns = 0, end_ns = 0;
  u64 events_lost = 0;
  GroupMasks masks{};
  bool switch_stacks = false, ready_stacks = false;
  u32 own_process = 0;  // the recorder's process id
  struct Interval {
    u32 source = 0, interval = 0;
    std::string name;
  };
  std::vector<Interval> intervals;
  std::span<const FakeSample> samples;
  std::span<const FakeSwitch> switches;
  std::span<const FakeProcess> processes_before;  // the processes that existed at the beginning
  std::vector<FakeProcess> processes;             // the processes that existed when the session ended
};

// Returns the number of its buffers, or 0 if it could not be written.
u32 write_fake_trace(const FakeTrace& trace);

}  // namespace wperf::etw::fake
