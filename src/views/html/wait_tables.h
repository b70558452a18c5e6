// SPDX-License-Identifier: BSD-3-Clause
// What `waits` says, as tables that need no scripts. Called by html_report.
#pragma once
#include <string>

#include "views/html/html_report.h"

namespace wperf::html {

// `profile`: of threads' time, for the stacks that they waited in.
void append_waits(std::string& out, const WaitsOfPage& waits, const stacks::StackProfile& profile);

}  // namespace wperf::html
