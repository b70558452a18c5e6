// SPDX-License-Identifier: BSD-3-Clause
// Windows' list of devices: the interface of wperf-driver, and the units outside of the cores according to ACPI. Loads
// setupapi.dll on first use.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "machine/device/driver_machine.h"

namespace wperf::windows {

struct PresentInterface {
  std::wstring path;  // the path to open
  std::string instance_id, hardware_ids;
};

// The first device interface that is enabled.
std::optional<PresentInterface> find_driver_interface();
std::optional<PresentInterface> find_windowsperf_interface();  // the interface of Arm's driver
// The problem code of the driver's device in the Device Manager, 0 = no problem; nullopt if there is no such device.
std::optional<u32> driver_device_problem();
u32 count_acpi_devices(const wchar_t* acpi_id);
// The memory that Windows assigned to the devices with this id, ordered by instance.
std::vector<device::DeviceMemory> acpi_device_memory(const wchar_t* acpi_id);

}  // namespace wperf::windows
