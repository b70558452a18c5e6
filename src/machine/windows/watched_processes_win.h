// SPDX-License-Identifier: BSD-3-Clause
// Windows processes that a measurement observes or starts.
#pragma once
#include <memory>
#include <string>

#include "machine/device/driver_machine.h"

namespace wperf::windows {

// A Windows process that a measurement observes: its state and modules, kept after its end. Either wperf started it, or
// it was already running.

// Closes a HANDLE when its owner is destroyed.
struct HandleCloser {
  void operator()(void* handle) const;
};
using OwnedHandle = std::unique_ptr<void, HandleCloser>;

class WatchedProcess {
 public:
  // Takes over the process handle; null if the process could not be opened, so that only its number is known.
  WatchedProcess(u32 pid, OwnedHandle handle);

  void* handle() const { return handle_.get(); }
  device::ProcessState state() const;
  // Adds modules that were loaded since the last call. Unloaded modules are kept, because samples were taken in them.
  void look_at_modules();
  const readings::Process& description();

 private:
  void look_at_image();

  OwnedHandle handle_;
  readings::Process known_;
};

// Starts the program of a measurement: suspended, in its own console, on one core or on any core, in a job that ends
// with wperf.
struct SpawnedProcess {
  u32 pid = 0;
  OwnedHandle process;
  OwnedHandle job;     // closing it ends the program and its children if they still run
  OwnedHandle thread;  // the first thread, suspended
};

diag::Result<SpawnedProcess> spawn_suspended(const std::string& command_line, u32 core);

}  // namespace wperf::windows
