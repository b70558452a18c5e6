// SPDX-License-Identifier: BSD-3-Clause
// Which recording `report` shows. Called by run_report.
#pragma once
#include <string>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

// The one that was named; else perf.data of this folder, else the youngest *.data, and says which.
diag::Result<std::string> choose_recording(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
