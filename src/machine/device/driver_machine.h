// SPDX-License-Identifier: BSD-3-Clause
// A machine with wperf's driver: the way to the driver, the programs, and facts that the driver cannot find out itself.
// There is the simulated one (sim_machine_linux.cpp) and Windows with wperf-driver.sys (windows_machine_win.cpp).
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/status.h"
#include "machine/device/programs.h"

namespace wperf::device {

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
