// SPDX-License-Identifier: BSD-3-Clause
// The devices that this build and this machine have.
#pragma once
#include <memory>
#include <string>

#include "machine/device/device.h"

namespace wperf::devices {

// `name`: "driver", "linux", "sim" or "sim:key=value,…"; empty: the default device.
diag::Result<std::unique_ptr<device::Device>> open_device(const std::string& name);

// The devices that this machine has, found without opening them.
struct DevicesHere {
  bool driver = false;       // wperf's driver is installed
  bool windowsperf = false;  // Arm's driver is installed, in a version that wperf supports
  bool tracing = false;      // Windows
  bool linux_kernel = false;
};
DevicesHere devices_here();

}  // namespace wperf::devices
