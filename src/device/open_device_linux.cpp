// SPDX-License-Identifier: BSD-3-Clause
// Which devices this build has on Linux: the kernel of this machine, and the simulated machine.
#include "device/device.h"

namespace wperf::device {

diag::Result<std::unique_ptr<Device>> open_device(const std::string& name) {
  const auto colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (kind == "sim") {
    WPERF_TRY(auto machine, open_sim_machine(colon == std::string::npos ? std::string() : name.substr(colon + 1)));
    return make_driver_device(std::move(machine));
  }
  if (kind.empty() || kind == "linux") return open_linux_device();
  if (kind == "driver") {
    return diag::Error{.text = "the driver device needs Windows on Arm",
                       .hint = "use the simulated machine: --device sim",
                       .code = diag::ExitCode::no_device};
  }
  return diag::Error{.text = "unknown device '" + name + "'",
                     .hint = "devices are driver, linux and sim[:key=value,...]",
                     .code = diag::ExitCode::usage};
}

}  // namespace wperf::device
