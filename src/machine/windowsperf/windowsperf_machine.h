// SPDX-License-Identifier: BSD-3-Clause
// A machine with Arm's driver: the way to it, the programs, and facts that the driver does not report. There is Windows
// (open_machine_win.cpp) and the fake over the simulated machine (sim/arm_driver).
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
  size_t bytes = 0;  // written by the driver, according to itself
};

// Moves bytes; never reads them. Called from one thread. Its end closes the handle, which does not release the lock.
class Transport {
 public:
  virtual ~Transport() = default;
  // `output` is zero at first. An error of wperf's own: the request never got to the driver or its answer never came
  // back.
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
  // MIDR_EL1 by core, because the driver reports that of one core only. Empty if unknown.
  virtual std::vector<u64> core_midrs() = 0;
  // Time for the work that the driver does after its answers. Programs that were started and do not run yet stay so.
  virtual void pause(u64 nanoseconds) = 0;
};

// The driver of this Windows.
diag::Result<std::unique_ptr<Machine>> open_windowsperf_machine();

// The device of a machine with wperf-driver, Arm's signed driver of WindowsPerf.
std::unique_ptr<device::Device> make_windowsperf_device(std::unique_ptr<Machine> machine);

}  // namespace wperf::windowsperf
