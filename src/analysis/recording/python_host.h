// SPDX-License-Identifier: BSD-3-Clause
// The machine on which interpreters of Python are looked for: this one, or a simulated one.
#pragma once
#include <memory>

#include "code/python/process_memory.h"
#include "code/python/runtime.h"
#include "ground/diag/result.h"

namespace wperf::recording {

class PythonHost {
 public:
  virtual ~PythonHost() = default;
  virtual u64 now_ns() = 0;  // the clock of samples
  // It may be read by several threads at the same time as the others are called.
  virtual std::unique_ptr<python::ProcessMemory> memory_of(u32 pid) = 0;
  virtual diag::Result<python::PythonRuntime> find_runtime(u32 pid, python::ProcessMemory& memory) = 0;
  // The number by which the thread knows itself.
  virtual u32 own_number_of(u32 pid, u32 tid) = 0;
  // The least time between two searches for the threads of an interpreter, which read all of them. 0: they are cheap.
  virtual u64 pause_ns() const { return 10'000'000; }
};

class ThisMachine final : public PythonHost {
 public:
  u64 now_ns() override;
  std::unique_ptr<python::ProcessMemory> memory_of(u32 pid) override;
  diag::Result<python::PythonRuntime> find_runtime(u32 pid, python::ProcessMemory& memory) override;
  u32 own_number_of(u32 pid, u32 tid) override;
};

}  // namespace wperf::recording
