// SPDX-License-Identifier: BSD-3-Clause
// Messages about written files, after the text about the recording.
#pragma once
#include "app/measure/recording_run.h"
#include "ground/diag/console.h"
#include "model/request/request.h"

namespace wperf::commands {

// The recording that stays, and the command that shows it again: the request's own if that is `waits`.
void tell_kept(const request::Request& request, const measure::Recording& recording, diag::Console& console);
// Says what -o FILE contains, if the name of FILE does not show it: the user may have wanted a recording there.
void tell_written(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
