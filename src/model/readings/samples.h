// SPDX-License-Identifier: BSD-3-Clause
// Samples, programs and modules as captured; addresses have no names yet.
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

// A sample as the driver's ring held it.
struct DrainedSample {
  u64 time_ns = 0;  // device time
  u64 pc = 0, lr = 0;
  u32 process = 0, thread = 0;
  u32 overflowed = 0;  // bit n: event n of the plan reached the end of its interval
  u16 core = 0;
  u16 exception_level = 0;
  // Its callers: return addresses in SampleCapture::frames, innermost first; those of the kernel come first.
  u64 first_frame = 0;
  u8 frame_count = 0, kernel_frames = 0;
};

// The statistics of one core's interrupt handler. taken = delivered + lost.
struct CoreStatistics {
  u32 core = 0;
  u64 taken = 0;
  u64 lost_ring_full = 0;
  u64 lost_filtered = 0;    // from an unwanted exception level, or from another program
  u64 held_back = 0;        // intervals without a sample, because samples would have come too fast
  u64 throttled = 0;        // times the system stopped sampling because it took too much time
  u64 unreadable = 0;       // records that made no sense
  u64 lost_stacks = 0;      // samples without their callers: no room, or the thread ended first
  u64 cut_stacks = 0;       // samples with more callers than requested
  u64 register_losses = 0;  // times the counters' registers were found wiped, and were set up again
};

struct Module {
  std::string name;  // "bignum.dll"
  std::string path;  // empty for a part of the system without a file
  u64 base = 0, size = 0;
  u64 entry = 0;  // 0: not known
};

struct Process {
  u32 pid = 0;
  std::string image;  // path
  u32 core = 0;
  bool running = false;
  u32 exit_code = 0;
  std::vector<Module> modules;  // the image first
  std::vector<u32> threads;     // modules seen so far; empty if not known
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
  std::vector<DrainedSample> samples;           // by core, then in order
  std::vector<u64> frames;                      // the frames of all samples; see DrainedSample::first_frame
  std::vector<CoreStatistics> core_statistics;  // by core
  std::vector<Process> processes;               // modules known at the end, ended processes included
  std::string remark;                           // what is missing in these samples, for the report
};

// The bytes that statistical profiling (Arm SPE) left in the buffers of the cores, as captured. A device hands them out
// piece by piece, so that a long run needs no more memory than its answer.

// Bytes of one core, in order. Valid during the call that brings them.
struct SpePiece {
  u32 core = 0;
  bool after_gap = false;  // data before it is missing: a decoder starts afresh
  u64 buffer_address = 0;  // the address of the first byte: alignment packets are relative to it
  std::span<const std::byte> bytes;
};
using SpeSink = std::function<void(const SpePiece&)>;

// The driver's statistics of one core's buffer.
struct SpeStatistics {
  u32 core = 0;
  u64 written = 0;     // bytes
  u64 full = 0;        // times profiling stopped because the buffer was full
  u64 stopped_ns = 0;  // how long it stopped for that
  u64 collisions = 0, data_losses = 0;
  bool faulted = false;  // the buffer could not be written, so this core's profiling ended early
  u64 fault_status = 0;  // PMBSR_EL1
};

}  // namespace wperf::readings
