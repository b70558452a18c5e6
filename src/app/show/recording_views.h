// SPDX-License-Identifier: BSD-3-Clause
// Shows the contents of a recording as the options request.
#pragma once
#include "analysis/recording/opened_recording.h"
#include "app/measure/recording_run.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

// For any file that the user named.
diag::Result<void> show_recording(const recording::OpenedRecording& opened, const ReportOptions& options,
                                  diag::Console& console);
// For a recording that was just made.
diag::Result<void> show_recording(const measure::Recording& made, const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
