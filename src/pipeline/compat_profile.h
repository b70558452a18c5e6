// SPDX-License-Identifier: BSD-3-Clause
// A recording → WindowsPerf's view of it (profile/compat_view.h), with names, lines and code as far as asked for.
// Called by run_report for recordings of Windows programs, and by the C API.
#pragma once
#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "profile/sample_profile.h"
#include "request/request.h"

namespace wperf::pipeline {

diag::Result<profile::SampleProfile> compat_profile(const perf_data::PerfFile& file, const request::Request& request);

}  // namespace wperf::pipeline
