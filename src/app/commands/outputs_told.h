// SPDX-License-Identifier: BSD-3-Clause
// What was written, behind the text of what was recorded. Called by run_sample and run_waits.
#pragma once
#include "app/measure/recording_run.h"
#include "ground/diag/console.h"
#include "model/request/request.h"

namespace wperf::commands {

// The recording that stays, and the command that shows it again: that of the request, where it is `waits`.
void tell_kept(const request::Request& request, const measure::Recording& recording, diag::Console& console);
// What -o FILE got, where FILE is not named as what it is: a recording may have been meant.
void tell_written(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
