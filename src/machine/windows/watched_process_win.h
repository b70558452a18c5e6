// SPDX-License-Identifier: BSD-3-Clause
// One Windows process that a measurement looks at: its state and modules, remembered after its end. Either started by
// wperf (spawned_process_win.cpp) or found running.
#pragma once
#include <memory>
#include <string>

#include "machine/device/programs.h"

namespace wperf::windows {

// Closes a HANDLE at the end of its owner's life.
struct HandleCloser {
  void operator()(void* handle) const;
};
using OwnedHandle = std::unique_ptr<void, HandleCloser>;

class WatchedProcess {
 public:
  // Takes the process handle; null: the process could not be opened, so only its number is known.
  WatchedProcess(u32 pid, OwnedHandle handle);

  void* handle() const { return handle_.get(); }
  device::ProcessState state() const;
  // Adds the modules that were loaded since the last call. Unloaded ones stay known: samples were taken in them.
  void look_at_modules();
  const readings::Process& description();

 private:
  void look_at_image();

  OwnedHandle handle_;
  readings::Process known_;
};

}  // namespace wperf::windows
