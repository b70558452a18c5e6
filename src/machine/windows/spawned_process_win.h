// SPDX-License-Identifier: BSD-3-Clause
// Starts the program of a measurement: suspended, in a console of its own, on one core or wherever it gets time, in a
// job that ends when we do.
#pragma once
#include <string>

#include "machine/windows/watched_process_win.h"

namespace wperf::windows {

struct SpawnedProcess {
  u32 pid = 0;
  OwnedHandle process;
  OwnedHandle job;     // closing it ends what is left of the program and its children
  OwnedHandle thread;  // the first one, suspended
};

diag::Result<SpawnedProcess> spawn_suspended(const std::string& command_line, u32 core);

}  // namespace wperf::windows
