// SPDX-License-Identifier: BSD-3-Clause
// The status command: prints the installed parts, Windows' requirements, and the next step.
#pragma once
#include "devgen/devgen_machine.h"

namespace wperf::devgen {

// The result is the exit status: 0 installed and running, 1 not.
int show_status(DevgenMachine& machine, Console& console, const char* version);

}  // namespace wperf::devgen
