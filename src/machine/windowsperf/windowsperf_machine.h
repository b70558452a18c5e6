// SPDX-License-Identifier: BSD-3-Clause
// A machine with Arm's driver: the transport to it, the programs, and facts that the driver does not report. The two
// kinds are Windows (open_machine_win.cpp) and the fake over the simulated machine (sim/arm_driver).
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
  u32 error = 0;     // Windows' number; 0: success
  size_t bytes = 0;  // the size that the driver claims to have written
};

// Moves bytes without reading them. Called from one thread. Its destructor closes the handle, which does not release
// the lock.
class Transport {
 public:
  virtual ~Transport() = default;
  // `output` must be zero on entry. An error of wperf's own means that the request did not reach the driver or its
  // answer did not come back.
  virtual diag::Result<Answer> control(u32 code, std::span<const std::byte> input, std::span<std::byte> output) = 0;
  // As DriverTransport::measuring().
  virtual void measuring(bool) {}
};

struct FileVersion {
  u32 major = 0, minor = 0, patch = 0;
};

class Machine : public Transport, public device::Programs, public device::MachineFacts {
 public:
  // The version of the driver's file, because its own answer needs the lock. nullopt if it cannot be read.
  virtual std::optional<FileVersion> file_version() = 0;
  // MIDR_EL1 by core, because the driver reports that of only one core. Empty if unknown.
  virtual std::vector<u64> core_midrs() = 0;
  // Gives the driver time for its work after an answer. Programs that were started but do not run yet stay suspended.
  virtual void pause(u64 nanoseconds) = 0;
};

// The driver of this Windows.
diag::Result<std::unique_ptr<Machine>> open_windowsperf_machine();

// The device of a machine with wperf-driver, Arm's signed driver of WindowsPerf.
std::unique_ptr<device::Device> make_windowsperf_device(std::unique_ptr<Machine> machine);

}  // namespace wperf::windowsperf
