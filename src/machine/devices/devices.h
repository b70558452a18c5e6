// SPDX-License-Identifier: BSD-3-Clause
// The devices of this build and this machine.
#pragma once
#include <memory>
#include <string>

#include "machine/device/device.h"

namespace wperf::devices {

// "driver", "linux", "sim" or "sim:key=value,…"; empty: the machine's own.
diag::Result<std::unique_ptr<device::Device>> open_device(const std::string& name);

// The devices that this machine has, found without opening them.
struct DevicesHere {
  bool driver = false;       // ours is installed
  bool windowsperf = false;  // Arm's driver is installed, in a version that wperf supports
  bool tracing = false;      // Windows
  bool linux_kernel = false;
};
DevicesHere devices_here();

}  // namespace wperf::devices
