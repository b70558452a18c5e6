// SPDX-License-Identifier: BSD-3-Clause
// Statistical profiling through a driver that speaks our wire. Called by driver_device.cpp.
#pragma once
#include <memory>

#include "machine/device/device.h"

namespace wperf::device {

diag::Result<std::unique_ptr<SpeSession>> open_driver_spe(DriverTransport& transport, const plan::SpePlan& plan);

}  // namespace wperf::device
