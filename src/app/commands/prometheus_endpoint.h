// SPDX-License-Identifier: BSD-3-Clause
// `stat --listen`: counts repeatedly and serves the latest counts over HTTP.
#pragma once
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/request/request.h"

namespace wperf::commands {

// Runs until Ctrl-C or the end of the program; returns the exit status.
diag::Result<int> serve_prometheus(const request::Request& asked, plan::CountPlan plan, measure::OpenedMachine& machine,
                                   diag::Console& console);

}  // namespace wperf::commands
