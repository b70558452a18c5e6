// SPDX-License-Identifier: BSD-3-Clause
// The interpreters of a process, their threads, and the holder of an interpreter's lock (the GIL).
#pragma once
#include <optional>
#include <vector>

#include "code/python/layout.h"
#include "code/python/process_memory.h"

namespace wperf::python {

struct PythonThread {
  u64 interpreter = 0;
  u64 state = 0;      // the address of the thread's state, for Snapshot
  u32 native_id = 0;  // the thread id in the process's PID namespace; 0 until the thread runs
};

struct PythonThreads {
  std::vector<PythonThread> threads;
  bool is_whole = false;  // false if memory could not be read, or if there are too many
};

inline constexpr usize kMostInterpreters = 256, kMostThreads = 4096;

// Threads may start and end during the call, so some may be missing or listed twice.
PythonThreads list_threads(ProcessMemory& memory, const Layout& layout, u64 runtime);

inline constexpr usize kMostNewestInterpreters = 4, kMostNewest = 32;
// Lists the newest threads up to the one with the id `wanted`: at most kMostNewest, over all of the newest
// interpreters. New interpreters and threads are always added at the beginning of their lists. `is_whole` is true if
// there are no other threads.
PythonThreads list_newest_threads(ProcessMemory& memory, const Layout& layout, u64 runtime, u32 wanted);

}  // namespace wperf::python
