// SPDX-License-Identifier: BSD-3-Clause
// The request as the options of a measurement, of a reader of recordings, and of a report.
#pragma once
#include "analysis/recording/opened_recording.h"
#include "analysis/recording/recorded_samples.h"
#include "app/measure/measure_options.h"
#include "app/measure/recording_run.h"
#include "app/show/comparison_output.h"
#include "app/show/report_options.h"
#include "app/show/wait_views.h"
#include "ground/diag/console.h"
#include "model/request/request.h"
#include "model/stacks/stack_rows.h"

namespace wperf::commands {

show::ReportOptions report_options(const request::Request& request, const diag::Console& console);
// The commands that --brief names.
brief::Commands brief_commands(const request::Request& request);
// Each recording is read with lines if --sort has them.
show::ComparisonOptions comparison_options(const request::Request& request, const diag::Console& console);
// Changes the other options for --on-off.
show::WaitOptions wait_options(const request::Request& request, show::ReportOptions& options);

// With the options that depend on a recording that was just made: its shown name, and its program.
request::Request shown_request(const request::Request& request, const measure::Recording& recording);

// The files that the command line names.
recording::RecordingFiles recording_files(const request::Request& request);
// Which samples are read and where symbols are looked for, without any detail.
recording::ReadOptions plain_read_options(const request::Request& request);
// Adds the details that the requested views need.
recording::ReadOptions read_options(const request::Request& request);
show::NamingOptions naming_options(const request::Request& request);
// Which samples count: --comm, --module, --pid, --tid and --symbol.
stacks::StackFilter sample_filter(const request::Request& request);

measure::MeasureOptions measure_options(const request::Request& request);

}  // namespace wperf::commands
