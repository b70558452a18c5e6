// SPDX-License-Identifier: BSD-3-Clause
// The device of a machine with wperf-driver, Arm's signed driver of WindowsPerf.
#pragma once
#include <memory>

#include "machine/device/device.h"
#include "machine/windowsperf/windowsperf_machine.h"

namespace wperf::windowsperf {

std::unique_ptr<device::Device> make_windowsperf_device(std::unique_ptr<Machine> machine);

}  // namespace wperf::windowsperf
