// SPDX-License-Identifier: BSD-3-Clause
// The programs of a machine and its time. Called from one thread.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/readings/samples.h"

namespace wperf::device {

struct ProcessState {
  bool running = false;
  u32 exit_code = 0;
  bool has_times = false;  // for a program that ended, if the system has it
  u64 user_ns = 0, system_ns = 0;
};

class Programs {
 public:
  virtual ~Programs() = default;

  // Starts a program pinned to `core` (or, where the system can, plan::kAnyCore), suspended: it runs from the next
  // wait() on.
  virtual diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) = 0;
  // Programs started from now on write to stderr instead of stdout. Does nothing where programs get their own console.
  virtual void keep_stdout_free() {}
  // Programs started from now on get neither this terminal's keys nor its screen. Does nothing where programs get their
  // own console.
  virtual void keep_terminal_free() {}
  // Does a program of ours write to wperf's own output?
  virtual bool shares_console() const { return false; }
  virtual ProcessState process(u32 pid) = 0;
  virtual void kill(u32 pid) = 0;
  // Every visible program of this machine; ended ones too as long as they are known. Programs that were spawned or
  // looked up with process() have all their modules, others at least their image, maybe by name only.
  virtual std::vector<readings::Process> processes() = 0;

  // Lets time pass: at most `nanoseconds`, less if process `until_pid` (0 = no process) ends.
  virtual diag::Result<void> wait(u64 nanoseconds, u32 until_pid) = 0;
  virtual u64 now_ns() = 0;
};

}  // namespace wperf::device
