// SPDX-License-Identifier: BSD-3-Clause
// Programs on this machine, and its time.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "machine/device/driver_machine.h"
#include "machine/perf_events/counter_linux.h"

namespace wperf::linux_kernel {

class LinuxPrograms final : public device::Programs {
 public:
  ~LinuxPrograms() override;

  diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) override;
  void keep_stdout_free() override { stdout_is_free_ = true; }
  void keep_terminal_free() override { terminal_is_free_ = true; }
  bool shares_console() const override;
  device::ProcessState process(u32 pid) override;
  bool has_started(u32 pid) const override;
  void kill(u32 pid) override;
  std::vector<readings::Process> processes() override;
  diag::Result<void> wait(u64 nanoseconds, u32 until_pid) override;
  u64 now_ns() override;

  // The program was started but is held before its exec, so events that are opened now begin with the program.
  bool is_held(u32 pid) const;
  // The threads for which a measurement opens events: the only thread of a held program, or all threads of a running
  // program.
  std::vector<int> threads_to_watch(u32 pid) const;

 private:
  struct Known {
    std::string image;
    bool child = false;
    bool running = true;
    bool has_started = true;  // false: the program could not be executed
    u32 exit_code = 0, signal = 0;
    u64 user_ns = 0, system_ns = 0;   // set when the program has ended
    perf_events::Descriptor handle;   // becomes readable when the program ends
    perf_events::Descriptor release;  // for a held program: a byte written here releases it
    perf_events::Descriptor failure;  // returns the errno if the program cannot be executed
  };
  diag::Result<void> release(u32 pid, Known& known);
  void look_at(u32 pid, Known& known);

  std::map<u32, Known> known_;
  bool stdout_is_free_ = false, terminal_is_free_ = false;
};

}  // namespace wperf::linux_kernel
