// SPDX-License-Identifier: BSD-3-Clause
// Values that the installation wrote under the service's key, and values that the driver keeps until Windows restarts.
// IRQL PASSIVE_LEVEL.
#pragma once
#include "driver/nt/nt.h"

namespace wperf::driver {

// True if Parameters\PnP is 1: the INF installed the driver with its device. Any other value means a plain service.
bool is_installed_as_device(UNICODE_STRING* registry_path);

// Whether this driver, in this image or one that was unloaded, has held the overflow interrupt since Windows started.
// The fact is kept in a volatile key, which outlives the image and an uninstallation.
void note_interrupt_held();
bool interrupt_was_held();

}  // namespace wperf::driver
