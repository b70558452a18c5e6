// SPDX-License-Identifier: BSD-3-Clause
// A machine with wperf's driver: the way to the driver, the programs, and facts that the driver cannot find out itself.
// There is the simulated one (sim_machine_linux.cpp) and Windows with wperf-driver.sys (driver_handle_win.cpp).
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/status.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/readings/samples.h"

namespace wperf::device {

// The programs of a machine and its time. Called from one thread.
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

using DriverAnswer = std::pair<WperfStatus, size_t>;

// Moves bytes; never reads them. Called from one thread. Its end releases this client's lock in the driver.
class DriverTransport {
 public:
  virtual ~DriverTransport() = default;
  // One request; `buffer` is shared by request (its first `input` bytes) and answer. Returns the driver's status and
  // the bytes of its answer; an error if the request never got to the driver or its answer never came back.
  virtual diag::Result<DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) = 0;
  // A measurement begins or has ended: sleeping cores lose their counters, so the machine must not sleep during one.
  virtual void measuring(bool) {}
};

struct DeviceMemory {
  u64 base = 0, size = 0;
};

// For `detect`.
struct DeviceIdentity {
  std::string instance_id, hardware_ids;
};

class MachineFacts {
 public:
  virtual ~MachineFacts() = default;
  virtual std::vector<DeviceMemory> dmc_channels() = 0;  // the places of the DMC-620s according to ACPI
  virtual u32 dsu_clusters() = 0;  // how many DSUs ACPI names; 0 if it names none, or the driver finds them itself
  virtual DeviceIdentity identity() = 0;
  // The computer's model by its firmware: "QEMU Virtual Machine"; empty if it does not say.
  virtual std::string model() { return {}; }
  // The seed of all random numbers, if the machine repeats itself; nullopt otherwise.
  virtual std::optional<u64> seed() const { return std::nullopt; }
  // Cycles between two samples if the user gives no interval; 0: as many as on a core of some GHz.
  virtual u32 usual_cycle_interval() const { return 0; }
};

class DriverMachine : public DriverTransport, public Programs, public MachineFacts {};

}  // namespace wperf::device
