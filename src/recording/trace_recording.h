// SPDX-License-Identifier: BSD-3-Clause
// An .etl trace of Windows as a recording like all others: its samples with their stacks, processes, threads and images
// as records of a perf.data file without a name. So every view shows traces, too. Called by run_report.
#pragma once
#include <string>

#include "diag/result.h"
#include "import/etl/trace_file.h"
#include "os/recording_file.h"

namespace wperf::recording {

struct TraceRecording {
  os::RecordingFile file;
  etl::TraceLosses losses = {};
  u64 samples = 0;
  u64 samples_of_nobody = 0;    // of threads that the trace says nothing of
  bool samples_were_on = true;  // by what the trace says of itself
};

// Without the samples of idle processors. `version`: of the tool, for the recording.
diag::Result<TraceRecording> recording_of_trace(const etl::TraceFile& trace, const std::string& version);

}  // namespace wperf::recording
