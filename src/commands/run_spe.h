// SPDX-License-Identifier: BSD-3-Clause
// `sample` and `record` with -e arm_spe_0/…/ where the system's own kernel profiles.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "measure/machine.h"
#include "request/request.h"

namespace wperf::commands {

diag::Result<int> run_spe(const request::Request& request, measure::Machine& machine, diag::Console& console);

}  // namespace wperf::commands
