// SPDX-License-Identifier: BSD-3-Clause
// An .etl trace of Windows as a recording like all others: its samples with their stacks, processes, threads and images
// as records of a perf.data file without a name. So every view shows traces, too. Called by run_report.
#pragma once
#include <string>

#include "diag/result.h"
#include "import/etl/trace_file.h"
#include "os/recording_file.h"
#include "recording/recorded_switches.h"

namespace wperf::recording {

struct TraceRecording {
  os::RecordingFile file;
  etl::TraceLosses losses = {};
  u64 samples = 0;
  u64 samples_of_nobody = 0;    // of threads that the trace says nothing of
  bool samples_were_on = true;  // by what the trace says of itself
  // Where they were asked for; each that left a core has a sample behind all others, with the stack it went on from.
  RecordedSwitches switches = {};
  bool has_compact_switches = false;  // in a form that nobody has described
};

enum class TraceSwitches : u8 { left_out, wanted };
// Without the samples of idle processors. `version`: of the tool, for the recording.
diag::Result<TraceRecording> recording_of_trace(const etl::TraceFile& trace, const std::string& version,
                                                TraceSwitches switches = TraceSwitches::left_out);

}  // namespace wperf::recording
