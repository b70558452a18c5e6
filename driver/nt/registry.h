// SPDX-License-Identifier: BSD-3-Clause
// What the installation wrote under the service's key. IRQL PASSIVE_LEVEL.
#pragma once
#include "driver/nt/nt.h"

namespace wperf::driver {

// Parameters\PnP is 1: the INF installed the driver with its device. Anything else: a plain service.
bool is_installed_as_device(UNICODE_STRING* registry_path);

}  // namespace wperf::driver
