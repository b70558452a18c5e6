// SPDX-License-Identifier: BSD-3-Clause
// Reads from the kernel's files where the threads of a process are now. No thread is stopped for it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "machine/perf_events/system_files.h"

namespace wperf::linux_kernel {

struct ThreadNow {
  u32 thread = 0;
  std::string name;
  char state = '?';                        // as in /proc/PID/stat: R, S, D, T, …
  std::vector<std::string> functions;      // of the kernel, innermost first; only one if the stack may not be read
  std::optional<u64> first_argument = {};  // of the system call in which it waits; nullopt if it may not be read
};

// Empty if there is no such process.
std::vector<ThreadNow> threads_now(u32 process, const perf_events::SystemFiles& files = perf_events::SystemFiles());

}  // namespace wperf::linux_kernel
