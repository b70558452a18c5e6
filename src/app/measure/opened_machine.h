// SPDX-License-Identifier: BSD-3-Clause
// The opened and locked machine of one command, with the words that may be used on it.
#pragma once
#include <memory>
#include <string>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/device/device.h"
#include "machine/devices/devices.h"
#include "machine/plan/plan.h"
#include "model/request/measurement.h"

namespace wperf::measure {

// Users give times in milliseconds; machines count nanoseconds.
inline constexpr u64 kNanosecondsPerMillisecond = 1'000'000;

struct Machine {
  std::unique_ptr<device::Device> device;
  plan::Capabilities capabilities;
  plan::EventCatalog catalog;
};

// Opens the device, sees that its driver speaks wperf's protocol, and takes its lock.
diag::Result<std::unique_ptr<device::Device>> open_locked_device(const request::Measurement& wanted);
// The same, then asks the hardware and reads the -C and -E files.
diag::Result<Machine> open_machine(const request::Measurement& wanted, diag::Console& console,
                                   device::Device::Spe spe = device::Device::Spe::left_alone);

std::string number_text(const device::DriverVersion& version);  // "3.8.0"
// The error about a driver with another protocol than wperf's (contract 8.3).
diag::Error version_mismatch(const device::DriverVersion& driver);

// Which device measures if the user names none.
struct ChosenDevice {
  std::string name;  // as --device takes it; empty: the default of open_device for this machine
  std::string why;   // a sentence for the first line; empty: the choice needs no explanation
};
ChosenDevice choose_device(const request::Measurement& wanted, const devices::DevicesHere& here);

}  // namespace wperf::measure
