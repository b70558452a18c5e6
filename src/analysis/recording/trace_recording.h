// SPDX-License-Identifier: BSD-3-Clause
// Converts an .etl trace of Windows to a recording: its samples with stacks, processes, threads and images become
// records of an unnamed perf.data file. So all views work for traces, too.
#pragma once
#include <string>

#include "analysis/recording/recorded_switches.h"
#include "formats/etl/kernel_payloads.h"
#include "formats/etl/recorder_payloads.h"
#include "formats/etl/trace.h"
#include "ground/diag/result.h"
#include "ground/os/recording_file.h"
#include "model/stacks/trace_facts.h"

namespace wperf::recording {

// The event of samples taken at switches.
inline constexpr char kTraceSwitches[] = "switch";

struct TraceRecording {
  os::RecordingFile file;
  etl::TraceLosses losses = {};
  u64 samples = 0;
  u64 samples_of_nobody = 0;         // samples of threads that are not described in the trace
  std::vector<u64> idle_times = {};  // times of samples that were left out, in order
  u64 unexplained_stacks = 0;        // missing stacks, of which only the keys are known
  u64 samples_without_stack = 0;     // 0 if no sample has a stack
  bool samples_were_on = true;       // according to the trace
  bool switches_were_on = false;
  // Filled on request. For each thread that left a core there is a sample, after all other samples, with the stack from
  // which the thread continued.
  RecordedSwitches switches = {};
  std::vector<etl::LossEvent> lost_over_time = {};  // losses reported to the recorder
  u64 samples_of_other_cores = 0;                   // samples that were left out
  std::string running_event = {};                   // the event of switches.running_samples; empty if there are none
  bool running_by_time = false;                     // this event counts in nanoseconds
  bool has_compact_switches = false;                // switches in an undocumented form
  stacks::PythonSamples python = {};                // as counted by the recorder
};

struct TraceConversionOptions {
  bool switches = false;
  bool running = false;         // fills running_samples of TraceRecording::switches even if there are no switches
  bool idle = false;            // include samples of idle cores
  std::vector<u32> cores = {};  // the cores whose samples to take; empty: all
};
// `version`: wperf's version, written to the recording.
diag::Result<TraceRecording> recording_of_trace(const etl::Trace& trace, const std::string& version,
                                                const TraceConversionOptions& options);

// Converts the time of an event in the trace to the time in the recording; 0: before the trace.
u64 time_in_recording(const etl::Trace& trace, u64 ticks);

// The missing parts of a trace, from its header and from the losses found while reading it.
stacks::TraceFacts trace_facts(const etl::Trace& trace, const etl::TraceLosses& losses);
stacks::TraceFacts trace_facts(const etl::Trace& trace, const TraceRecording& recorded);

}  // namespace wperf::recording
