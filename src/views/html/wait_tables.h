// SPDX-License-Identifier: BSD-3-Clause
// The answers of `waits`, as tables that need no scripts.
#pragma once
#include <string>

#include "views/html/html_report.h"

namespace wperf::html {

// `profile`: of threads' time, for the stacks that they waited in.
void append_waits(std::string& out, const WaitsOfPage& waits, const stacks::StackProfile& profile);

}  // namespace wperf::html
