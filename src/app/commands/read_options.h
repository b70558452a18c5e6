// SPDX-License-Identifier: BSD-3-Clause
// The options of the command line for the reader of recordings.
#pragma once
#include "analysis/recording/opened_recording.h"
#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

// The files that the command line names.
recording::RecordingFiles recording_files(const request::Request& request);
// Which samples are read and where symbols are looked for, without any detail.
recording::ReadOptions plain_read_options(const request::Request& request);
// Adds the details that the requested views need.
recording::ReadOptions read_options(const request::Request& request);

// Counted and named, with the servers and kept functions that the options allow, and progress.
diag::Result<recording::RecordedSamples> read_named_samples(const perf_data::PerfFile& file,
                                                            const request::Request& request,
                                                            recording::ReadOptions wanted, diag::Console& console);

// Prints the progress on a terminal.
modules::DownloadProgress download_progress(diag::Console& console);

}  // namespace wperf::commands
