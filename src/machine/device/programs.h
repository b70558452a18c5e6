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
  bool has_times = false;  // of a program that ended, where the system tells
  u64 user_ns = 0, system_ns = 0;
};

class Programs {
 public:
  virtual ~Programs() = default;

  // Starts a program pinned to `core` (or, where the system can, plan::kAnyCore), suspended: it runs from the next
  // wait() on.
  virtual diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) = 0;
  // What is started from now on writes to stderr what it would write to stdout. Nothing to do where programs get a
  // console of their own.
  virtual void keep_stdout_free() {}
  // What is started from now on has neither this terminal's keys nor its screen. Nothing to do where programs get a
  // console of their own.
  virtual void keep_terminal_free() {}
  // Is there a program of ours that writes where wperf does?
  virtual bool shares_console() const { return false; }
  virtual ProcessState process(u32 pid) = 0;
  virtual void kill(u32 pid) = 0;
  // Every program of this machine that can be seen; ended ones too as long as they are known. Those that were spawned
  // or asked for with process() have all their modules, others at least their image, maybe by name only.
  virtual std::vector<readings::Process> processes() = 0;

  // Lets time pass: at most `nanoseconds`, less when process `until_pid` (0 = none) ends.
  virtual diag::Result<void> wait(u64 nanoseconds, u32 until_pid) = 0;
  virtual u64 now_ns() = 0;
};

}  // namespace wperf::device
