// SPDX-License-Identifier: BSD-3-Clause
// The answer of `wperf test`: how the machine is configured, and which counter would count which event.
#pragma once
#include "app/measure/opened_machine.h"
#include "ground/diag/result.h"
#include "model/answers/tool_answers.h"

namespace wperf::measure {

// The request may have no events.
diag::Result<answers::TestReport> measure_test(const request::Measurement& wanted, OpenedMachine& machine);
answers::TestReport test_report_of(const plan::CountPlan& plan, const plan::Capabilities& machine);

}  // namespace wperf::measure
