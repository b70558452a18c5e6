// SPDX-License-Identifier: BSD-3-Clause
// Samples, programs and modules as captured. Addresses have no names yet.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ints.h"

namespace wperf::readings {

// A sample as it was in the driver's ring.
struct DrainedSample {
  u64 time_ns = 0;  // device time
  u64 pc = 0, lr = 0;
  u32 process = 0, thread = 0;
  u32 overflowed = 0;  // bit n: event n of the plan completed its interval
  u16 core = 0;
  u16 exception_level = 0;
  // The callers: return addresses in SampleCapture::frames, innermost first. The kernel's frames are first.
  u64 first_frame = 0;
  u8 frame_count = 0, kernel_frames = 0;
};

// Statistics of the interrupt handler on one core. taken = delivered + lost.
struct CoreStatistics {
  u32 core = 0;
  u64 taken = 0;
  u64 lost_ring_full = 0;
  u64 lost_filtered = 0;    // in an exception level that was not requested, or in another program
  u64 held_back = 0;        // intervals without a sample, because samples came too fast
  u64 throttled = 0;        // times the system stopped sampling because it took too much time
  u64 unreadable = 0;       // records that could not be understood
  u64 lost_stacks = 0;      // samples without callers, because there was no room or the thread ended first
  u64 cut_stacks = 0;       // samples with more callers than requested
  u64 register_losses = 0;  // times the counters' registers were found wiped and were set up again
};

struct Module {
  std::string name;  // "bignum.dll"
  std::string path;  // empty for a part of the system that is not a file
  u64 base = 0, size = 0;
  u64 entry = 0;  // 0: not known
};

struct Process {
  u32 pid = 0;
  std::string image;  // path
  u32 core = 0;
  bool running = false;
  u32 exit_code = 0;
  std::vector<Module> modules;  // the program's own image first
  std::vector<u32> threads;     // threads seen so far; empty if not known
};

// A process and all its descendants. `children`: pairs of parent and child.
inline std::set<u32> with_children(u32 process, const std::vector<std::pair<u32, u32>>& children) {
  const std::multimap<u32, u32> children_of(children.begin(), children.end());
  std::set<u32> family{process};
  std::vector<u32> to_look_at{process};
  while (!to_look_at.empty()) {
    const auto [first, last] = children_of.equal_range(to_look_at.back());
    to_look_at.pop_back();
    for (auto child = first; child != last; ++child) {
      if (family.insert(child->second).second) to_look_at.push_back(child->second);
    }
  }
  return family;
}

struct SampleCapture {
  u64 start_ns = 0, end_ns = 0;
  std::vector<DrainedSample> samples;           // ordered by core, then by time
  std::vector<u64> frames;                      // the frames of all samples; see DrainedSample::first_frame
  std::vector<CoreStatistics> core_statistics;  // by core
  std::vector<Process> processes;               // modules known at the end, ended processes included
  std::string remark;                           // what is missing in these samples; shown in the report
};

// The bytes that statistical profiling (Arm SPE) wrote into the buffers of the cores, unchanged. A device hands them
// out in pieces, so that a long run needs no more memory than a short one.

// Consecutive bytes of one core. Valid only during the call that delivers them.
struct SpePiece {
  u32 core = 0;
  bool after_gap = false;  // data before these bytes is missing, so a decoder must restart
  u64 buffer_address = 0;  // the address of the first byte; alignment packets refer to it
  std::span<const std::byte> bytes;
};
using SpeSink = std::function<void(const SpePiece&)>;

// The driver's statistics of one core's SPE buffer.
struct SpeStatistics {
  u32 core = 0;
  u64 written = 0;     // bytes
  u64 full = 0;        // how often profiling stopped because the buffer was full
  u64 stopped_ns = 0;  // how long profiling was stopped because the buffer was full
  u64 collisions = 0, data_losses = 0;
  bool faulted = false;  // the buffer could not be written, so this core's profiling ended early
  u64 fault_status = 0;  // PMBSR_EL1
};

}  // namespace wperf::readings
