// SPDX-License-Identifier: BSD-3-Clause
// Context switches from a perf.data file: from samples of scheduler tracepoints, or from SWITCH records of the kernel.
#pragma once
#include <algorithm>
#include <optional>
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
  u32 number = 0;  // the system's number, if it differs from the number used here; otherwise 0
};

// A thread was running at this sample.
struct RunningSample {
  u32 sample = 0;  // index in the file
  u32 thread = 0;
  u64 weight = 0;
  u64 time = 0;  // nanoseconds
};

// The argument of the system call that a thread was in when it left its core.
struct CallArgument {
  u32 sample = 0;  // index in the file
  u64 value = 0;
};

struct RecordedSwitches {
  // Keyed by number. If the system reused a number, its last thread keeps it, and earlier threads have other numbers
  // here.
  std::unordered_map<u32, SwitchedThread> threads;
  std::vector<stacks::Switch> switches;            // ordered by time
  std::vector<stacks::Unrecorded> unrecorded;      // periods of cores that were lost or not finished
  u32 recorder = 0;                                // the recording process; 0 if not known
  u32 program = 0;                                 // the recorded process; 0: all processes
  std::vector<std::pair<u32, u32>> children;       // pairs of parent and child process
  std::vector<stacks::InterruptTimes> interrupts;  // by core; empty if not known
  u64 begin = 0, end = 0;                          // times of the first and last record in nanoseconds
  u64 samples = 0;                                 // number of samples in the file
  u64 switch_cost_ns = 0;                          // cost of recording a switch; 0 if not measured
  bool has_windows_reasons = false;                // Switch::reason is a KWAIT_REASON
  bool has_wakeups = false;                        // false if it is unknown which thread woke another one
  bool has_stacks = false;
  bool has_other_samples = false;  // samples of events other than scheduler events
  bool of_whole_cores = true;      // false if only some threads were recorded, so that cores also ran other threads
  std::vector<RunningSample> running_samples;  // samples of one event, if has_other_samples
  bool has_arguments = false;                  // false if it is unknown for which locks threads waited
  std::vector<CallArgument> arguments;         // ordered by sample; only samples with a recorded argument
  // nullopt if the argument was not recorded, or is 0.
  std::optional<u64> argument_of(u32 sample) const {
    const auto found = std::ranges::lower_bound(arguments, sample, {}, &CallArgument::sample);
    if (found == arguments.end() || found->sample != sample || found->value == 0) return std::nullopt;
    return found->value;
  }
};

// Returns an error if the file has neither scheduler tracepoints nor SWITCH records. The recording of a program begins
// before the program starts; until its start, the process runs wperf.
diag::Result<RecordedSwitches> read_switches(const perf_data::PerfFile& file);
// Removes everything before `time`.
void begin_at(u64 time, RecordedSwitches& switches);

}  // namespace wperf::recording
