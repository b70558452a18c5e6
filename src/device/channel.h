// SPDX-License-Identifier: BSD-3-Clause
// The way to a driver and the machine it runs in. Implemented by channel_sim (simulator library) and channel_win
// (device interface of wperf-driver.sys). Moves bytes; never reads them. Called from one thread.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/status.h"
#include "base/ints.h"
#include "diag/result.h"
#include "raw/samples.h"

namespace wperf::device {

struct ProcessState {
  bool running = false;
  u32 exit_code = 0;
  bool has_times = false;  // of a program that ended, where the system tells
  u64 user_ns = 0, system_ns = 0;
};

using DriverAnswer = std::pair<WperfStatus, size_t>;

struct DeviceMemory {
  u64 base = 0, size = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;  // closes; the driver releases this client's lock

  // One request; `buffer` is shared by request (its first `input` bytes) and answer. Returns what the driver said and
  // the bytes of its answer; an error if the request never got to the driver or its answer never came back.
  virtual diag::Result<DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) = 0;

  // Starts a program pinned to `core` (or, where the system can, plan::kAnyCore), suspended: it runs from the next
  // wait() on.
  virtual diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) = 0;
  // What is started from now on writes to stderr what it would write to stdout. Nothing to do where programs get a
  // console of their own.
  virtual void keep_stdout_free() {}
  // Is there a program of ours that writes where wperf does?
  virtual bool shares_console() const { return false; }
  virtual ProcessState process(u32 pid) = 0;
  virtual void kill(u32 pid) = 0;
  // Every program of this machine that can be seen; ended ones too as long as they are known. Those that were spawned
  // or asked for with process() have all their modules, others at least their image, maybe by name only.
  virtual std::vector<raw::Process> processes() = 0;

  // Lets time pass: at most `nanoseconds`, less when process `until_pid` (0 = none) ends.
  virtual diag::Result<void> wait(u64 nanoseconds, u32 until_pid) = 0;
  virtual u64 now_ns() = 0;
  // A measurement begins or has ended: cores that sleep forget their counters, so the machine is kept from it
  // meanwhile.
  virtual void measuring(bool) {}

  virtual std::vector<DeviceMemory> dmc_channels() = 0;  // where ACPI says the DMC-620s are
  virtual u32 dsu_clusters() = 0;         // how many DSUs ACPI names; 0: none, or the driver finds them itself
  virtual std::string instance_id() = 0;  // of `detect`
  virtual std::string hardware_ids() = 0;
};

// wperf-driver.sys of this machine.
diag::Result<std::unique_ptr<Channel>> open_driver_channel();
// "sim" or "sim:key=value,…".
diag::Result<std::unique_ptr<Channel>> open_sim_channel(const std::string& options);

}  // namespace wperf::device
