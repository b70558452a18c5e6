// SPDX-License-Identifier: BSD-3-Clause
// `top` on a terminal: keys in, pictures out, until the user ends it.
#pragma once
#include "app/live/worker.h"

namespace wperf::live {

// The exit status.
diag::Result<int> show_live(LiveLook& look, WorkerConsole& worker_console, diag::Console& console);

}  // namespace wperf::live
