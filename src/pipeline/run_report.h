// SPDX-License-Identifier: BSD-3-Clause
// `wperf report FILE`: the answers to a recording that was made elsewhere.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "request/request.h"

namespace wperf::pipeline {

// The answers to a list of samples. Called by `record` on Linux, too, for what it has just recorded.
diag::Result<void> report_samples(const perf_data::PerfFile& file, const request::Request& request,
                                  diag::Console& console);

diag::Result<void> run_report(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
