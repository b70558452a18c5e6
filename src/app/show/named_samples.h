// SPDX-License-Identifier: BSD-3-Clause
// Counts and names the samples of a recording. Uses debuginfod servers and cached functions if the options allow it,
// and shows progress.
#pragma once
#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/sampled_recording.h"
#include "app/show/report_options.h"
#include "code/modules/module_files.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

diag::Result<recording::RecordedSamples> read_named_samples(const perf_data::PerfFile& file,
                                                            recording::ReadOptions wanted, const NamingOptions& naming,
                                                            diag::Console& console);

// Prints the progress on a terminal.
modules::DownloadProgress download_progress(diag::Console& console);

// Like read_samples(), with stacks::Moments and the states of threads, for exports and pages, which show times.
// Includes callers, and the details in `wanted`. Threads without samples are also tasks of the profile. Samples at
// context switches of a trace do not count, because they only show where threads wait.
diag::Result<recording::RecordedSamples> read_timed_samples(const recording::SampledRecording& source,
                                                            recording::ReadOptions wanted, const ReportOptions& options,
                                                            diag::Console& console);

}  // namespace wperf::show
