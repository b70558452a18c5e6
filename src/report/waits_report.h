// SPDX-License-Identifier: BSD-3-Clause
// The answers of `waits` as text and JSON. Pure; lines end in LF. Called by commands.
#pragma once
#include <string>

#include "waits/wait_report.h"

namespace wperf::report {

// `rows`: of each table; `width`: of the terminal, 0: lines may be as long as they need to be.
std::string waits_text(const waits::WaitReport& report, u32 rows, usize width);
std::string waits_json(const waits::WaitReport& report);

}  // namespace wperf::report
