// SPDX-License-Identifier: BSD-3-Clause
// Converts the request to the options of a measurement, of a reader of recordings, and of a report.
#pragma once
#include "analysis/recording/opened_recording.h"
#include "analysis/recording/recorded_samples.h"
#include "app/measure/measure_options.h"
#include "app/measure/recording_run.h"
#include "app/show/compared_runs.h"
#include "app/show/report_options.h"
#include "app/show/wait_views.h"
#include "ground/diag/console.h"
#include "model/request/request.h"
#include "model/stacks/stack_rows.h"

namespace wperf::commands {

show::ReportOptions report_options(const request::Request& request, const diag::Console& console);
// The commands that --brief prints as next steps.
brief::Commands brief_commands(const request::Request& request);
// If --sort includes lines, each recording is read with lines.
show::ComparisonOptions comparison_options(const request::Request& request, const diag::Console& console);
// For --on-off, also changes the other options.
show::WaitOptions wait_options(const request::Request& request, show::ReportOptions& options);

// Adds facts about the recording that was just made: the name to show, and the program.
request::Request shown_request(const request::Request& request, const measure::Recording& recording);

// The files named on the command line.
recording::RecordingFiles recording_files(const request::Request& request);
// Which samples to read and where to look for symbols, without any details.
recording::ReadOptions plain_read_options(const request::Request& request);
// Adds the details that the requested views need.
recording::ReadOptions read_options(const request::Request& request);
show::NamingOptions naming_options(const request::Request& request);
// Selects samples by --comm, --module, --pid, --tid and --symbol.
stacks::StackFilter sample_filter(const request::Request& request);

measure::MeasureOptions measure_options(const request::Request& request);

}  // namespace wperf::commands
