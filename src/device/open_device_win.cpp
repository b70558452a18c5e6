// SPDX-License-Identifier: BSD-3-Clause
// Which devices this build has on Windows: none yet; the tool builds there so that nothing Linux grows into it.
#include "device/device.h"

namespace wperf::device {

diag::Result<std::unique_ptr<Device>> open_device(const std::string& name) {
  if (name.empty() || name == "driver") {
    return diag::Error{
        .text = "error: No active device interfaces found.\nhint: this wperf has no channel to wperf-driver.sys yet",
        .hint = {},
        .verbatim = true};
  }
  return diag::Error{.text = "the device '" + name + "' is not part of the Windows build",
                     .hint = {},
                     .code = diag::ExitCode::no_device};
}

}  // namespace wperf::device
