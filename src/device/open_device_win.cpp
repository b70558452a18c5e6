// SPDX-License-Identifier: BSD-3-Clause
// Which devices this build has on Windows: the driver of the machine.
#include "device/device.h"

namespace wperf::device {

diag::Result<std::unique_ptr<Device>> open_device(const std::string& name) {
  const std::string kind = name.substr(0, name.find(':'));
  if (kind.empty() || kind == "driver") {
    WPERF_TRY(auto machine, open_windows_machine());
    return make_driver_device(std::move(machine));
  }
  if (kind == "sim" || kind == "linux") {
    return diag::Error{.text = "the device '" + name + "' is not part of the Windows build",
                       .hint = kind == "sim" ? "the simulated machine runs on Linux, so also in WSL" : "",
                       .code = diag::ExitCode::no_device};
  }
  return diag::Error{.text = "unknown device '" + name + "'",
                     .hint = "devices are driver, linux and sim[:key=value,...]",
                     .code = diag::ExitCode::usage};
}

}  // namespace wperf::device
