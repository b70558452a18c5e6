// SPDX-License-Identifier: BSD-3-Clause
// A recording of context switches: why threads did not run, their waits in the views of samples, and where threads were
// all of the time.
#pragma once
#include "analysis/recording/opened_recording.h"
#include "analysis/waits/wait_names.h"
#include "app/measure/recording_run.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

struct WaitOptions {
  waits::WaitSelection chosen = {};
  bool on_off = false;      // shows running and waiting in one profile
  bool as_samples = false;  // shows waits as samples
  u32 program = 0;          // the process that a trace was recorded for; 0: all
};
diag::Result<void> show_waits(const recording::OpenedRecording& opened, const WaitOptions& waits,
                              const ReportOptions& options, diag::Console& console);
// For a recording that was just made.
diag::Result<void> show_waits(const measure::Recording& made, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console);

}  // namespace wperf::show
