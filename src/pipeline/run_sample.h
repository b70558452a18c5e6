// SPDX-License-Identifier: BSD-3-Clause
// `wperf sample` and `wperf record`: where events happen, in a program that runs or in one that is started.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "report/sample_report.h"
#include "request/request.h"

namespace wperf::pipeline {

// What the options of the command line say about reports of samples.
report::SampleOptions sample_report_options(const request::Request& request, const diag::Console& console);

diag::Result<void> run_sample(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
