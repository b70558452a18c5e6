// SPDX-License-Identifier: BSD-3-Clause
// A machine with wperf's driver: the transport to the driver, the programs, and facts that the driver cannot find out
// itself. The two kinds are the simulated one (sim_machine_linux.cpp) and Windows with wperf-driver.sys
// (driver_handle_win.cpp).
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  bool has_times = false;  // for a program that ended, if the system reports it
  u64 user_ns = 0, system_ns = 0;
};

// Looks at a thread at the moment of a sample, while the thread stands still.
class SampleWatcher {
 public:
  struct Moment {
    u64 time_ns = 0;  // of a sample by a counter
    u64 ticks = 0;    // of a record of SPE: its timestamp
    u64 pc = 0;
    u32 process = 0, thread = 0, core = 0;
  };
  virtual void see(const Moment& moment) = 0;

 protected:
  ~SampleWatcher() = default;
};

class Programs {
 public:
  virtual ~Programs() = default;

  // Starts a program suspended, pinned to `core` (or, if the system supports it, plan::kAnyCore); it runs from the next
  // wait() on.
  virtual diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) = 0;
  // Programs started from now on write to stderr instead of stdout. Does nothing on systems where programs get their
  // own console.
  virtual void keep_stdout_free() {}
  // Programs started from now on have no access to this terminal's keys and screen. Does nothing on systems where
  // programs get their own console.
  virtual void keep_terminal_free() {}
  // Does a program that wperf started write to wperf's own output?
  virtual bool shares_console() const { return false; }
  // How the user sees the output of programs, if it is hidden; otherwise empty.
  virtual std::string_view way_to_output() const { return {}; }
  virtual ProcessState process(u32 pid) = 0;
  virtual void kill(u32 pid) = 0;
  // Every visible program of this machine, including ended ones as long as they are known. Programs that were spawned
  // or looked up with process() have all their modules; others have at least their image, perhaps only its name.
  virtual std::vector<readings::Process> processes() = 0;

  // Lets time pass: at most `nanoseconds`, or less if process `until_pid` (0 = no process) ends.
  virtual diag::Result<void> wait(u64 nanoseconds, u32 until_pid) = 0;
  virtual u64 now_ns() = 0;

  // From here on the watcher is called for each sample of the driver, and each record of SPE; null: no longer. Returns
  // false where they are not told at once.
  virtual bool watch_samples(SampleWatcher*) { return false; }
  // Memory of a running program. Returns false if not all of it can be read.
  virtual bool read_memory(u32, u64 /*address*/, std::span<std::byte>) { return false; }
};

using DriverAnswer = std::pair<WperfStatus, size_t>;

// Moves bytes without reading them. Called from one thread. Its destructor releases this client's lock in the driver.
class DriverTransport {
 public:
  virtual ~DriverTransport() = default;
  // One request; `buffer` is shared by request (its first `input` bytes) and answer. Returns the driver's status and
  // the bytes of its answer; an error if the request did not reach the driver or the answer did not come back.
  virtual diag::Result<DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) = 0;
  // Called when a measurement begins or ends. Sleeping cores lose their counters, so the machine must not sleep
  // meanwhile.
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
  virtual u32 dsu_clusters() = 0;  // the number of DSUs in ACPI; 0 if it lists none, or if the driver finds them itself
  virtual DeviceIdentity identity() = 0;
  // The computer's model according to its firmware: "QEMU Virtual Machine"; may be empty.
  virtual std::string model() { return {}; }
  // The seed of all random numbers, if runs are repeatable; nullopt otherwise.
  virtual std::optional<u64> seed() const { return std::nullopt; }
  // Cycles between two samples if the user gives no interval; 0 means the interval for a core of some GHz.
  virtual u32 usual_cycle_interval() const { return 0; }
};

class DriverMachine : public DriverTransport, public Programs, public MachineFacts {};

}  // namespace wperf::device
