// SPDX-License-Identifier: BSD-3-Clause
// Statistical profiling through a driver that speaks wperf's protocol.
#pragma once
#include <memory>

#include "machine/device/device.h"

namespace wperf::wperf_driver {

diag::Result<std::unique_ptr<device::SpeSession>> open_driver_spe(device::DriverTransport& transport,
                                                                  const plan::SpePlan& plan);

}  // namespace wperf::wperf_driver
