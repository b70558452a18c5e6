// SPDX-License-Identifier: BSD-3-Clause
// The devices of this build on Windows: the driver of the machine, and Windows' own tracing.
#include <utility>

#include "machine/devices/devices.h"
#include "machine/etw/etw_device.h"
#include "machine/windowsperf/windowsperf_machine.h"
#include "machine/wperf_driver/driver_device.h"
#include "machine/wperf_driver/driver_handle_win.h"

namespace wperf::devices {

diag::Result<std::unique_ptr<device::Device>> open_device(const std::string& name) {
  const std::string kind = name.substr(0, name.find(':'));
  if (kind.empty() || kind == "driver") {
    WPERF_TRY(auto machine, wperf_driver::open_windows_machine());
    return wperf_driver::make_driver_device(std::move(machine));
  }
  if (kind == "etw") return etw::make_etw_device(etw::open_windows_tracing());
  if (name == "windowsperf") {
    WPERF_TRY(auto machine, windowsperf::open_windowsperf_machine());
    return windowsperf::make_windowsperf_device(std::move(machine));
  }
  if (kind == "sim" || kind == "linux" || kind == "windowsperf") {
    return diag::Error{.text = "the device '" + name + "' is not part of the Windows build",
                       .hint = kind == "sim" ? "the simulated machine runs on Linux, including WSL" : "",
                       .code = diag::ExitCode::no_device};
  }
  return diag::usage_error("unknown device '" + name + "'",
                           "devices are driver, windowsperf, etw, linux and sim[:key=value,...]");
}

DevicesHere devices_here() {
  DevicesHere here{.driver = wperf_driver::DriverHandle::is_there(), .windowsperf = false, .tracing = true};
  auto machine = windowsperf::open_windowsperf_machine();
  if (!machine.has_value()) return here;
  const auto version = windowsperf::make_windowsperf_device(std::move(machine).value())->driver_version();
  here.windowsperf = version.has_value() && version.value().compatible;
  return here;
}

}  // namespace wperf::devices
