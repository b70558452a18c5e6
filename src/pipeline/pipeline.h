// SPDX-License-Identifier: BSD-3-Clause
// The only place where the stages are strung together. Called by cli (and later by the C API) with a request; owns the
// device, the files and the waiting. One call is one command.
#pragma once
#include "diag/console.h"
#include "diag/result.h"
#include "request/request.h"

namespace wperf::pipeline {

// The exit status of a run that went well: 0, or on Linux that of the program it was about.
diag::Result<int> run(const request::Request& request, diag::Console& console);

}  // namespace wperf::pipeline
