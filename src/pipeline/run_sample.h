// SPDX-License-Identifier: BSD-3-Clause
// `wperf sample` and `wperf record`: where events happen, in a program that runs or in one that is started.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "request/request.h"

namespace wperf::pipeline {

diag::Result<int> run_sample(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
