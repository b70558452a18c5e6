// SPDX-License-Identifier: BSD-3-Clause
// `record --push`: profiles sent one after the other while a program or the machine is sampled, until Ctrl-C, the end
// of the program or of --timeout.
#pragma once
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

// The exit status.
diag::Result<int> record_and_push(const request::Request& request, measure::Machine& machine, diag::Console& console);

}  // namespace wperf::commands
