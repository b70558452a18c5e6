// SPDX-License-Identifier: BSD-3-Clause
// A machine with Arm's driver: the transport to it, the programs, and facts that the driver does not report. There are
// two such machines: Windows (open_machine_win.cpp), and a fake on top of the simulated machine (sim/arm_driver).
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ints.h"
#include "machine/device/device.h"
#include "machine/device/driver_machine.h"

namespace wperf::windowsperf {

struct Answer {
  u32 error = 0;     // Windows' error number; 0: success
  size_t bytes = 0;  // number of bytes that the driver claims to have written
};

// Moves bytes without interpreting them. Must be called by one thread. The destructor closes the handle, which does not
// release the lock.
class Transport {
 public:
  virtual ~Transport() = default;
  // `output` must be zeroed. An error means that the request did not reach the driver, or that its answer did not
  // arrive.
  virtual diag::Result<Answer> control(u32 code, std::span<const std::byte> input, std::span<std::byte> output) = 0;
  // See DriverTransport::measuring().
  virtual void measuring(bool) {}
};

struct FileVersion {
  u32 major = 0, minor = 0, patch = 0;
};

class WindowsPerfMachine : public Transport, public device::Programs, public device::MachineFacts {
 public:
  // The version of the driver's file, because the request for the driver's version needs the lock. nullopt if it cannot
  // be read.
  virtual std::optional<FileVersion> file_version() = 0;
  // MIDR_EL1 of each core, because the driver reports only one core's. Empty if unknown.
  virtual std::vector<u64> core_midrs() = 0;
  // Gives the driver time to finish its work after an answer. Programs that have not been released yet stay suspended.
  virtual void pause(u64 nanoseconds) = 0;
};

// The driver of this Windows.
diag::Result<std::unique_ptr<WindowsPerfMachine>> open_windowsperf_machine();

// The device of a machine with the signed wperf-driver of Arm's WindowsPerf.
std::unique_ptr<device::Device> make_windowsperf_device(std::unique_ptr<WindowsPerfMachine> machine);

}  // namespace wperf::windowsperf
