// SPDX-License-Identifier: BSD-3-Clause
// `stat --listen`: counts again and again, and serves the last counts over HTTP.
#pragma once
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/request/request.h"

namespace wperf::commands {

// The exit status. Until Ctrl-C, or the end of the program.
diag::Result<int> count_and_listen(const request::Request& asked, plan::CountPlan plan, measure::Machine& machine,
                                   diag::Console& console);

}  // namespace wperf::commands
