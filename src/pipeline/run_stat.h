// SPDX-License-Identifier: BSD-3-Clause
// `wperf stat`: one count, or a timeline of counts (-t).
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "request/request.h"

namespace wperf::pipeline {

diag::Result<int> run_stat(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
