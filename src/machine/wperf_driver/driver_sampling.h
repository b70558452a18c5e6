// SPDX-License-Identifier: BSD-3-Clause
// Sampling by overflow through a driver that speaks wperf's protocol.
#pragma once
#include <memory>

#include "machine/device/device.h"

namespace wperf::wperf_driver {

diag::Result<std::unique_ptr<device::SampleSession>> open_driver_sampling(device::DriverTransport& transport,
                                                                          const plan::SamplePlan& plan);

}  // namespace wperf::wperf_driver
