// SPDX-License-Identifier: BSD-3-Clause
// `wperf test`, `wperf detect` and `wperf --version`: what the machine and the driver say of themselves.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "pipeline/machine.h"
#include "plan/plan.h"
#include "profile/machine_report.h"
#include "profile/test_report.h"
#include "request/request.h"

namespace wperf::pipeline {

diag::Result<void> run_test(const request::Request& request, diag::Console& console);
diag::Result<void> run_detect(const request::Request& request, diag::Console& console);
diag::Result<void> run_version(const request::Request& request, diag::Console& console);

// The answer of `test` on an open machine.
diag::Result<profile::TestReport> measure_test(const request::Request& request, Machine& machine);
profile::TestReport test_report_of(const plan::CountPlan& plan, const plan::Capabilities& machine);
profile::Component tool_component();

}  // namespace wperf::pipeline
