// SPDX-License-Identifier: BSD-3-Clause
// The samples of a perf.data file, counted by who, where and how they got there, and named. Called by run_report.
#pragma once
#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "request/request.h"
#include "stacks/stack_profile.h"

namespace wperf::pipeline {

// What a view needs beyond thread, function and event; each costs time.
struct WantedDetail {
  bool callers = false;
  bool lines = false;
  bool cores = false;
};
WantedDetail wanted_detail(const request::Request& request);

stacks::StackProfile read_recorded_samples(const perf_data::PerfFile& file, const request::Request& request,
                                           const WantedDetail& wanted);

}  // namespace wperf::pipeline
