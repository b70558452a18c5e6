// SPDX-License-Identifier: BSD-3-Clause
// `record --push`: samples a program or the machine, and sends one profile after another, until Ctrl-C, the end of the
// program, or --timeout.
#pragma once
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

// Returns the exit status.
diag::Result<int> record_and_push(const request::Request& request, measure::OpenedMachine& machine,
                                  diag::Console& console);

}  // namespace wperf::commands
