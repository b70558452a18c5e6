// SPDX-License-Identifier: BSD-3-Clause
// The samples of a recording, counted and named, with the servers and kept functions that the options allow, and
// progress.
#pragma once
#include "analysis/recording/recorded_samples.h"
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

}  // namespace wperf::show
