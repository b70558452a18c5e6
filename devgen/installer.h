// SPDX-License-Identifier: BSD-3-Clause
// install and uninstall: the order of the steps, the steps to undo after a failure, and the messages. Makes no Windows
// calls. Both may be repeated: existing parts are brought up to date, and removed ones stay removed.
#pragma once
#include "devgen/devgen_machine.h"

namespace wperf::devgen {

enum class InstallWay { device, plain_service };

// The result is the exit status: 0, or the Windows error of the step that failed. After a failure everything that this
// call added is removed again.
Win32Error install(DevgenMachine& machine, Console& console, InstallWay way);

// Removes all existing parts, and continues after a failed step. Returns the error of the first step that failed.
Win32Error uninstall(DevgenMachine& machine, Console& console);

}  // namespace wperf::devgen
