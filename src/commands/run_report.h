// SPDX-License-Identifier: BSD-3-Clause
// `wperf report FILE`: the answers to a recording that was made elsewhere.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "report/sample_report.h"
#include "request/request.h"

namespace wperf::commands {

// The answers to a list of samples: WindowsPerf's for Windows programs, where no other view is asked for. Called by
// `record`, too, for what it has just recorded.
diag::Result<void> report_recording(const perf_data::PerfFile& file, const request::Request& request,
                                    diag::Console& console);

// What the options of the command line say about WindowsPerf's reports.
report::SampleOptions sample_report_options(const request::Request& request, const diag::Console& console);

}  // namespace wperf::commands
