// SPDX-License-Identifier: BSD-3-Clause
// Runs the scenarios after the machine has started, and prints the summary.
#pragma once

namespace wperf::nthost {

// makes the thread that runs the scenarios named on the command line, and powers off at its end
void start_scenarios();

}  // namespace wperf::nthost
