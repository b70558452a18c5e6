// SPDX-License-Identifier: BSD-3-Clause
// `wperf doctor`: what this machine can measure and which obstacles there are, found by trying.
#pragma once
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::doctor {

diag::Result<void> run_doctor(const request::Request& request, diag::Console& console);

}  // namespace wperf::doctor
