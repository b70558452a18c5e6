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

// The programs of a machine, and its time. Must be called by one thread.
struct ProcessState {
  bool running = false;
  u32 exit_code = 0;
  u32 signal = 0;          // the signal that killed it, on Linux; 0: none
  bool has_times = false;  // the program has ended, and the system reports its times
  u64 user_ns = 0, system_ns = 0;
};

// Inspects a thread at the time of a sample, or of a stack in a recorded schedule, while the thread is stopped.
class SampleWatcher {
 public:
  struct Moment {
    u64 time_ns = 0;  // for a counter's sample, or a stack in the schedule
    u64 ticks = 0;    // for an SPE record: its timestamp
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

  // Starts a program suspended, pinned to `core` (or, if the system supports it, plan::kAnyCore); it starts to run with
  // the next wait().
  virtual diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) = 0;
  // Programs that are started from now on write to stderr instead of stdout. Does nothing on systems where programs get
  // their own console.
  virtual void keep_stdout_free() {}
  // Programs that are started from now on cannot use this terminal's keys and screen. Does nothing on systems where
  // programs get their own console.
  virtual void keep_terminal_free() {}
  // Do the programs that wperf starts write to wperf's own output?
  virtual bool shares_console() const { return false; }
  // If the output of programs is hidden: how the user can see it; otherwise empty.
  virtual std::string_view way_to_output() const { return {}; }
  virtual ProcessState process(u32 pid) = 0;
  // Returns false if a program from spawn() could not be executed, which only the first wait() notices.
  virtual bool has_started(u32 /*pid*/) const { return true; }
  virtual void kill(u32 pid) = 0;
  // All visible programs of this machine, including ended programs that are still known. Programs from spawn() and
  // process() have all their modules; other programs have at least their image, perhaps only its name.
  virtual std::vector<readings::Process> processes() = 0;

  // Lets time pass: `nanoseconds`, or less if the process `until_pid` ends (0 = no process).
  virtual diag::Result<void> wait(u64 nanoseconds, u32 until_pid) = 0;
  virtual u64 now_ns() = 0;

  // From now on the watcher is called immediately for each sample of the driver, each SPE record and each stack in the
  // schedule, if that is recorded; null ends this.
  // Returns false if the machine cannot do it.
  virtual bool watch_samples(SampleWatcher*) { return false; }
  // Reads memory of a running program. Returns false if not all of it can be read.
  virtual bool read_memory(u32, u64 /*address*/, std::span<std::byte>) { return false; }
};

using DriverAnswer = std::pair<WperfStatus, size_t>;

// Moves bytes without interpreting them. Must be called by one thread. The destructor releases this client's lock in
// the driver.
class DriverTransport {
 public:
  virtual ~DriverTransport() = default;
  // Sends one request. `buffer` holds the request (in its first `input` bytes) and then the answer. Returns the
  // driver's status and the bytes of its answer; an error if the request did not reach the driver or the answer did not
  // arrive.
  virtual diag::Result<DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) = 0;
  // Called when a measurement begins or ends. The machine must not sleep during it, because sleeping cores lose their
  // counters.
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
  virtual std::vector<DeviceMemory> dmc_channels() = 0;  // addresses of the DMC-620s, from ACPI
  virtual u32 dsu_clusters() = 0;  // number of DSUs in ACPI; 0 if it lists none, or if the driver finds them itself
  virtual DeviceIdentity identity() = 0;
  // The computer's model according to its firmware: "QEMU Virtual Machine"; may be empty.
  virtual std::string model() { return {}; }
  // The seed of all random numbers, if runs are repeatable; nullopt otherwise.
  virtual std::optional<u64> seed() const { return std::nullopt; }
  // The default number of cycles between two samples; 0 means the default for a core of some GHz.
  virtual u32 usual_cycle_interval() const { return 0; }
};

class DriverMachine : public DriverTransport, public Programs, public MachineFacts {};

}  // namespace wperf::device
