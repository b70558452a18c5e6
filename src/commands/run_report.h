// SPDX-License-Identifier: BSD-3-Clause
// What a recording says, as the options ask for it. Called by every command that shows recordings.
#pragma once
#include <string_view>
#include <vector>

#include "diag/console.h"
#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "recording/recorded_samples.h"
#include "recording/trace_recording.h"
#include "report/sample_report.h"
#include "request/request.h"

namespace wperf::commands {

// The answers to a list of samples: WindowsPerf's for Windows programs, where no other view is asked for. Called by
// `record`, too, for what it has just recorded.
diag::Result<void> report_recording(const perf_data::PerfFile& file, const request::Request& request,
                                    diag::Console& console);

// The same views of samples that count for something else than they were recorded with.
struct WeightedSamples {
  std::string_view event;           // what they are now
  const std::vector<u64>& weights;  // see WantedDetail::weights
};
diag::Result<void> report_weighted(const perf_data::PerfFile& file, const WeightedSamples& weighted,
                                   const request::Request& request, diag::Console& console);
// Counted and named, with the servers and kept functions that the options allow, and progress.
diag::Result<recording::RecordedSamples> read_named_samples(const perf_data::PerfFile& file,
                                                            const request::Request& request,
                                                            recording::WantedDetail wanted, diag::Console& console);

// What the trace itself says that it lacks.
void tell_trace_losses(const etl::TraceHeader& header, const recording::TraceRecording& trace, diag::Console& console);

// What the options of the command line say about WindowsPerf's reports.
report::SampleOptions sample_report_options(const request::Request& request, const diag::Console& console);

}  // namespace wperf::commands
