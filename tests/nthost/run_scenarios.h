// SPDX-License-Identifier: BSD-3-Clause
// From the last line of the machine's start to the summary.
#pragma once

namespace wperf::nthost {

void start_scenarios();  // makes the thread that runs what the command line names, and powers off at its end

}  // namespace wperf::nthost
