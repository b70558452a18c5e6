// SPDX-License-Identifier: BSD-3-Clause
// install and uninstall: the order of the steps, which of them are undone when one fails, and the messages. Knows no
// Windows call. Both may be repeated: existing parts are brought up to date, and removed ones stay removed.
#pragma once
#include "devgen/devgen_machine.h"

namespace wperf::devgen {

enum class InstallWay { device, plain_service };

// The result is the exit status: 0, or the Windows error of the step that failed. After a failure nothing that this
// call added is left.
Win32Error install(Machine& machine, Console& console, InstallWay way);

// Removes all there is, also after a step failed; the result is the first failure's.
Win32Error uninstall(Machine& machine, Console& console);

}  // namespace wperf::devgen
