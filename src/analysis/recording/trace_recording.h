// SPDX-License-Identifier: BSD-3-Clause
// An .etl trace of Windows as a recording like all others: its samples with their stacks, processes, threads and images
// as records of a perf.data file without a name. So every view shows traces, too. Called by run_report.
#pragma once
#include <string>

#include "analysis/recording/recorded_switches.h"
#include "formats/etl/kernel_payloads.h"
#include "formats/etl/trace.h"
#include "ground/diag/result.h"
#include "ground/os/recording_file.h"
#include "model/stacks/trace_facts.h"

namespace wperf::recording {

// The event that samples of switches belong to.
inline constexpr char kTraceSwitches[] = "switch";

struct TraceRecording {
  os::RecordingFile file;
  etl::TraceLosses losses = {};
  u64 samples = 0;
  u64 samples_of_nobody = 0;      // of threads that the trace says nothing of
  u64 idle_samples = 0;           // that were left out
  u64 unexplained_stacks = 0;     // known by a key alone
  u64 samples_without_stack = 0;  // where others have one
  bool samples_were_on = true;    // by what the trace says of itself
  bool switches_were_on = false;
  // Where they were asked for; each that left a core has a sample behind all others, with the stack it went on from.
  RecordedSwitches switches = {};
  std::vector<etl::LossEvent> lost_over_time = {};  // that the recorder was told
  u64 samples_of_other_cores = 0;                   // that were left out
  std::string running_event = {};                   // that switches.running_samples are of; empty: of none
  bool running_by_time = false;                     // it counts nanoseconds
  bool has_compact_switches = false;                // in a form that nobody has described
};

struct TraceWishes {
  bool switches = false;
  bool running = false;         // where threads ran, in TraceRecording::switches, also without these
  bool idle = false;            // samples of idle cores
  std::vector<u32> cores = {};  // whose samples are wanted; empty: of all
};
// `version`: of the tool, for the recording.
diag::Result<TraceRecording> recording_of_trace(const etl::Trace& trace, const std::string& version,
                                                const TraceWishes& wishes);

// What a trace lacks, by its header and by what was missed in reading it.
stacks::TraceFacts trace_facts(const etl::Trace& trace, const etl::TraceLosses& losses);
stacks::TraceFacts trace_facts(const etl::Trace& trace, const TraceRecording& recorded);

}  // namespace wperf::recording
