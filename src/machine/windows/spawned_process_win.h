// SPDX-License-Identifier: BSD-3-Clause
// Starts the program of a measurement: suspended, in its own console, on one core or on any, in a job that ends with
// wperf.
#pragma once
#include <string>

#include "machine/windows/watched_process_win.h"

namespace wperf::windows {

struct SpawnedProcess {
  u32 pid = 0;
  OwnedHandle process;
  OwnedHandle job;     // closing it ends the program and its children if they still run
  OwnedHandle thread;  // the first one, suspended
};

diag::Result<SpawnedProcess> spawn_suspended(const std::string& command_line, u32 core);

}  // namespace wperf::windows
