// SPDX-License-Identifier: BSD-3-Clause
// `wperf list` and `wperf man`: what can be asked for on this machine, and what it means.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "request/request.h"

namespace wperf::pipeline {

diag::Result<void> run_list(const request::Request& request, diag::Console& console);
diag::Result<void> run_man(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
