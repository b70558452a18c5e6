// SPDX-License-Identifier: BSD-3-Clause
// Devices for machines with wperf-driver, and functions that open the two kinds of machine.
#pragma once
#include <memory>
#include <string>

#include "machine/device/device.h"
#include "machine/device/driver_machine.h"

namespace wperf::wperf_driver {

std::unique_ptr<device::Device> make_driver_device(std::unique_ptr<device::DriverMachine> machine);

// wperf-driver.sys of this machine. Windows only.
diag::Result<std::unique_ptr<device::DriverMachine>> open_windows_machine();
// The simulated machine. `options`: the settings after "sim:", "key=value,…". Linux only.
diag::Result<std::unique_ptr<device::DriverMachine>> open_sim_machine(const std::string& options);

}  // namespace wperf::wperf_driver
