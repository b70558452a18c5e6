// SPDX-License-Identifier: BSD-3-Clause
// Prints the lines before and after a scenario, and the summary.
#pragma once

namespace wperf::nthost {

void begin_report(const char* scenario);
void end_report();  // PASS or FAIL
void report_skipped(const char* scenario, const char* why);
[[noreturn]] void finish_report();  // "N passed, N failed"; the exit status is 0, or 1 if a scenario failed or none ran

}  // namespace wperf::nthost
