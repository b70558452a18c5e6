// SPDX-License-Identifier: BSD-3-Clause
// Windows programs and the machine's clock: starts programs suspended, finds their modules and waits for them.
#pragma once
#include <map>

#include "machine/device/driver_machine.h"
#include "machine/windows/watched_processes_win.h"

namespace wperf::windows {

class WindowsPrograms final : public device::Programs {
 public:
  WindowsPrograms();
  diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) override;
  device::ProcessState process(u32 pid) override { return watch(pid).process.state(); }
  void kill(u32 pid) override;
  std::vector<readings::Process> processes() override;
  diag::Result<void> wait(u64 nanoseconds, u32 until_pid) override;
  u64 now_ns() override;

 private:
  struct Watched {
    WatchedProcess process;
    OwnedHandle job, suspended;
    bool spawned = true;
    u64 started_ns = 0, looked_ns = 0;
  };

  Watched& watch(u32 pid);
  void resume(u64 now);
  void look_at_modules(u64 now);
  // The time at which to look for new modules again.
  u64 next_look(u64 now) const;
  // Waits for the timer, the process or Ctrl-C. Returns true if the full time has passed.
  bool sleep(u64 nanoseconds, void* process);

  u64 frequency_ = 1;  // of the performance counter
  OwnedHandle timer_;
  std::map<u32, Watched> watched_;
};

}  // namespace wperf::windows
