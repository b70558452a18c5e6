// SPDX-License-Identifier: BSD-3-Clause
// A recording of the user's, opened whatever its form is: perf.data of either byte order, packed, through a pipe, in
// several files; or a trace of Windows. Called by run_report and run_waits.
#pragma once
#include <functional>

#include "diag/console.h"
#include "diag/result.h"
#include "import/etl/trace_file.h"
#include "import/perf_data/perf_file.h"
#include "request/request.h"

namespace wperf::commands {

struct RecordingUses {
  std::function<diag::Result<void>(const perf_data::PerfFile&)> of_perf;
  std::function<diag::Result<void>(const etl::TraceFile&)> of_trace;
};

// Request::data_file. What the file lacks is said before it is used; progress is shown while it is read.
diag::Result<void> use_recording(const request::Request& request, diag::Console& console, const RecordingUses& uses);

// An error with the file's name in front.
diag::Error in_file(const std::string& file, diag::Error error);

}  // namespace wperf::commands
