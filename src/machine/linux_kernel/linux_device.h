// SPDX-License-Identifier: BSD-3-Clause
// The kernel of this machine as a device. Linux only.
#pragma once
#include <memory>

#include "machine/device/device.h"

namespace wperf::linux_kernel {

diag::Result<std::unique_ptr<device::Device>> open_linux_device();

}  // namespace wperf::linux_kernel
