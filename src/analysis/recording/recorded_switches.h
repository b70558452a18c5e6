// SPDX-License-Identifier: BSD-3-Clause
// What a perf.data file says of threads that came to cores and left them: samples of the scheduler's tracepoints, or
// the kernel's own SWITCH records. Called by run_waits.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/perf_data/perf_file.h"
#include "ground/diag/result.h"
#include "model/stacks/switches.h"

namespace wperf::recording {

struct SwitchedThread {
  u32 process = 0;  // 0: not known
  std::string name;
  u32 number = 0;  // of the system, where it is not the one that it is called by here; 0: it is
};

// That a thread ran at this place.
struct RunningSample {
  u32 sample = 0;  // of the file
  u32 thread = 0;
  u64 weight = 0;
  u64 time = 0;  // nanoseconds
};

// What a thread gave to the system call it was in when it left its core.
struct CallArgument {
  u32 sample = 0;  // of the file
  u64 value = 0;
};

struct RecordedSwitches {
  // By number. Of one that was used again it is the last thread's; those before have numbers of their own here.
  std::unordered_map<u32, SwitchedThread> threads;
  std::vector<stacks::Switch> switches;            // by time
  std::vector<stacks::Unrecorded> unrecorded;      // what was lost of cores, or not recorded to the end
  u32 recorder = 0;                                // the process that recorded; 0: not told
  u32 program = 0;                                 // the process that the recording is about; 0: about all
  std::vector<std::pair<u32, u32>> children;       // processes: who started whom
  std::vector<stacks::InterruptTimes> interrupts;  // by core; empty: not told
  u64 begin = 0, end = 0;                          // nanoseconds: the first and the last that anything was recorded
  u64 samples = 0;                                 // of the file
  u64 switch_cost_ns = 0;                          // of recording each; 0: nobody measured it
  bool has_windows_reasons = false;                // Switch::reason is a KWAIT_REASON
  bool has_wakeups = false;                        // else nobody knows who made whom ready
  bool has_stacks = false;
  bool has_other_samples = false;              // of something else than the scheduler
  bool of_whole_cores = true;                  // else only some threads were looked at, and cores ran others, too
  std::vector<RunningSample> running_samples;  // of one event, where has_other_samples
  bool has_arguments = false;                  // else nobody knows which locks threads waited for
  std::vector<CallArgument> arguments;         // by sample; where one was recorded
};

// An error where the file has none of both. A recording of a program begins with it: until then its process is wperf.
diag::Result<RecordedSwitches> read_switches(const perf_data::PerfFile& file);
// Leaves out what was before.
void begin_at(u64 time, RecordedSwitches& switches);

}  // namespace wperf::recording
