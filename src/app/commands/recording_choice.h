// SPDX-License-Identifier: BSD-3-Clause
// Chooses the recording that `report` shows.
#pragma once
#include <string>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

// The named one; otherwise perf.data of this folder, or the youngest *.data, and reports which.
diag::Result<std::string> choose_recording(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
