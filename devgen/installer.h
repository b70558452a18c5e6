// SPDX-License-Identifier: BSD-3-Clause
// install and uninstall: which steps in which order, what is taken back when one fails, what is said about it. Knows no
// Windows call. Both may be given again and again: what is there already is brought up to date, what is gone stays
// gone.
#pragma once
#include "devgen/machine.h"

namespace wperf::devgen {

enum class InstallWay { device, plain_service };

// The result is the exit status: 0, or the Windows error of the step that failed. After a failure nothing that this
// call added is left.
Win32Error install(Machine& machine, Console& console, InstallWay way);

// Removes all there is, also after a step failed; the result is the first failure's.
Win32Error uninstall(Machine& machine, Console& console);

}  // namespace wperf::devgen
