// SPDX-License-Identifier: BSD-3-Clause
// `wperf report FILE`: the answers to a recording that was made elsewhere.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "request/request.h"

namespace wperf::pipeline {

diag::Result<void> run_report(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
