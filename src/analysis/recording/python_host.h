// SPDX-License-Identifier: BSD-3-Clause
// The machine that is searched for Python interpreters: this machine, or a simulated one.
#pragma once
#include <memory>
#include <string>

#include "code/python/process_memory.h"
#include "code/python/runtime.h"
#include "ground/diag/result.h"

namespace wperf::recording {

class PythonHost {
 public:
  virtual ~PythonHost() = default;
  virtual u64 now_ns() = 0;  // on the clock of the samples
  // Several threads may read the memory while other functions are called.
  virtual std::unique_ptr<python::ProcessMemory> memory_of(u32 pid) = 0;
  virtual diag::Result<python::PythonRuntime> find_runtime(u32 pid, python::ProcessMemory& memory) = 0;
  // The thread's number inside its container.
  virtual u32 own_number_of(u32 pid, u32 tid) = 0;
  // The process's parent, if both run the same program file; otherwise 0. Can be called by several threads.
  virtual u32 forked_from(u32 /*pid*/) { return 0; }
  // Does the process have another root folder than wperf?
  virtual bool has_other_root(u32 /*pid*/) { return false; }
  // For such a process: does the process see another file at this path than wperf?
  virtual bool is_other_file(u32 /*pid*/, const std::string& /*path*/) { return false; }
  // The minimum time between two searches for an interpreter's threads. Each search reads all threads. 0: searching is
  // cheap.
  virtual u64 pause_ns() const { return 10'000'000; }
};

class ThisMachine final : public PythonHost {
 public:
  u64 now_ns() override;
  std::unique_ptr<python::ProcessMemory> memory_of(u32 pid) override;
  diag::Result<python::PythonRuntime> find_runtime(u32 pid, python::ProcessMemory& memory) override;
  u32 own_number_of(u32 pid, u32 tid) override;
  u32 forked_from(u32 pid) override;
  bool has_other_root(u32 pid) override;
  bool is_other_file(u32 pid, const std::string& path) override;
};

}  // namespace wperf::recording
