// SPDX-License-Identifier: BSD-3-Clause
// The options that depend on a recording that was just made: its shown name, and its program.
#pragma once
#include "app/measure/recording_run.h"
#include "model/request/request.h"

namespace wperf::commands {

request::Request shown_request(const request::Request& request, const measure::Recording& recording);

}  // namespace wperf::commands
