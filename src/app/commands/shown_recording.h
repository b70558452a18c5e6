// SPDX-License-Identifier: BSD-3-Clause
// What of the options is about a recording that was just made: under which name it is shown, and of whom. Called by
// run_sample and recording_push.
#pragma once
#include "app/measure/recording_run.h"
#include "model/request/request.h"

namespace wperf::commands {

request::Request shown_request(const request::Request& request, const measure::Recording& recording);

}  // namespace wperf::commands
