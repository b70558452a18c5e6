// SPDX-License-Identifier: BSD-3-Clause
// Samples, programs and modules as captured: no address is named.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::raw {

struct Sample {
  u64 time_ns = 0;  // device time
  u64 pc = 0, lr = 0;
  u32 process = 0, thread = 0;
  u32 overflowed = 0;  // bit n: event n of the plan passed its interval
  u16 core = 0;
  u16 exception_level = 0;
};

// What one core's interrupt handler says of itself. taken = delivered + lost.
struct CoreTally {
  u32 core = 0;
  u64 taken = 0;
  u64 lost_ring_full = 0;
  u64 lost_filtered = 0;  // from an exception level that was not asked for
  u64 throttled = 0;      // times the system stopped sampling because it took too much time
  u64 unreadable = 0;     // records that made no sense
};

struct Module {
  std::string name;  // "bignum.dll"
  std::string path;  // empty: a part of the system without a file
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
  std::vector<u32> threads;     // those seen up to now; empty: not known
};

struct SampleCapture {
  u64 start_ns = 0, end_ns = 0;
  std::vector<Sample> samples;     // by core, then in order
  std::vector<CoreTally> tallies;  // by core
  std::vector<Process> processes;  // those known at the end, ended ones included
};

}  // namespace wperf::raw
