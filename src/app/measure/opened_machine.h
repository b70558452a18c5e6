// SPDX-License-Identifier: BSD-3-Clause
// The opened and locked machine of a command, and the machine's names of events and metrics.
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

struct OpenedMachine {
  std::unique_ptr<device::Device> device;
  plan::Capabilities capabilities;
  plan::EventCatalog catalog;
};

// Opens the device, checks that its driver uses a supported protocol version, and takes its lock.
diag::Result<std::unique_ptr<device::Device>> open_locked_device(const request::Measurement& wanted);
// Also reads the machine's capabilities, and the -C and -E files.
diag::Result<OpenedMachine> open_machine(const request::Measurement& wanted, diag::Console& console,
                                         device::Device::Spe spe = device::Device::Spe::left_alone);

std::string number_text(const device::DriverVersion& version);  // "3.8.0"
// The error for a driver with another protocol version (contract 8.3).
diag::Error version_mismatch(const device::DriverVersion& driver);

// The device that is used if the user names none.
struct ChosenDevice {
  std::string name;  // the name for --device; empty: the default of open_device
  std::string why;   // a sentence for the first line; empty if the choice needs no explanation
};
ChosenDevice choose_device(const request::Measurement& wanted, const devices::DevicesHere& here);
// Will the recording be a Windows trace?
bool records_trace(const request::Measurement& wanted, const devices::DevicesHere& here);

}  // namespace wperf::measure
