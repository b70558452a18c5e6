// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_host.h"

#include <chrono>

#include "ground/os/other_memory.h"

namespace wperf::recording {

u64 ThisMachine::now_ns() {
  return static_cast<u64>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

std::unique_ptr<python::ProcessMemory> ThisMachine::memory_of(u32 pid) {
  return std::make_unique<python::RunningMemory>(pid);
}

diag::Result<python::PythonRuntime> ThisMachine::find_runtime(u32 pid, python::ProcessMemory& memory) {
  return python::find_runtime(os::file_mappings(pid), memory, pid);
}

u32 ThisMachine::own_number_of(u32 pid, u32 tid) {
  return os::own_thread_number(pid, tid);
}

u32 ThisMachine::forked_from(u32 pid) {
  return os::parent_with_same_program(pid);
}

bool ThisMachine::has_other_root(u32 pid) {
  return os::has_other_root(pid);
}

bool ThisMachine::is_other_file(u32 pid, const std::string& path) {
  return os::is_other_file(pid, path);
}

}  // namespace wperf::recording
