// SPDX-License-Identifier: BSD-3-Clause
// Makes the options of a report from the request.
#pragma once
#include "app/measure/recording_run.h"
#include "app/show/comparison_options.h"
#include "app/show/report_options.h"
#include "app/show/wait_views.h"
#include "ground/diag/console.h"
#include "model/request/request.h"

namespace wperf::commands {

show::ReportOptions report_options(const request::Request& request, const diag::Console& console);
// Each recording is read with lines if --sort has them.
show::ComparisonOptions comparison_options(const request::Request& request, const diag::Console& console);
// Changes the other options for --on-off.
show::WaitOptions wait_options(const request::Request& request, show::ReportOptions& options);

// With the options that depend on a recording that was just made: its shown name, and its program.
request::Request shown_request(const request::Request& request, const measure::Recording& recording);

}  // namespace wperf::commands
