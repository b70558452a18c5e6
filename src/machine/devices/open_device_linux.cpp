// SPDX-License-Identifier: BSD-3-Clause
// The devices of this build on Linux: the kernel of this machine, and the simulated machine.
#include <algorithm>
#include <string_view>

#include "machine/devices/devices.h"
#include "machine/etw/etw_device.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/live/live_machine.h"
#include "machine/windowsperf/windowsperf_machine.h"
#include "machine/wperf_driver/driver_device.h"
#include "sim/arm_driver/fake_driver.h"
#include "sim/tracing/fake_trace_api.h"

namespace wperf::devices {

diag::Result<std::unique_ptr<device::Device>> open_device(const std::string& name) {
  const auto colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (name == "sim") {
    WPERF_TRY(std::unique_ptr<device::DriverMachine> up, live::find_machine());
    if (up != nullptr) return wperf_driver::make_driver_device(std::move(up));
  }
  if (kind == "sim") {
    WPERF_TRY(auto machine,
              wperf_driver::open_sim_machine(colon == std::string::npos ? std::string() : name.substr(colon + 1)));
    return wperf_driver::make_driver_device(std::move(machine));
  }
  if (kind == "etw") {
    const std::string rest = colon == std::string::npos ? std::string() : name.substr(colon + 1);
    if (rest != "fake" && !rest.starts_with("fake,")) {
      return diag::Error{
          .text = "the etw device needs Windows",
          .hint = "use `--device etw:fake` to see it on the simulated machine; `wperf report FILE.etl` reads traces",
          .code = diag::ExitCode::no_device};
    }
    WPERF_TRY(auto machine, etw::fake::open_fake_tracing(rest.size() > 5 ? rest.substr(5) : std::string()));
    return etw::make_etw_device(std::move(machine));
  }
  if (name == "windowsperf:fake" || name.starts_with("windowsperf:fake,")) {
    constexpr size_t kOptions = std::string_view("windowsperf:fake,").size();
    WPERF_TRY(auto machine, windowsperf::fake::open_fake_machine(name.substr(std::min(kOptions, name.size()))));
    return windowsperf::make_windowsperf_device(std::move(machine));
  }
  if (kind.empty() || kind == "linux") return linux_kernel::open_linux_device();
  if (kind == "driver" || kind == "windowsperf") {
    return diag::Error{.text = "the " + kind + " device needs Windows on Arm",
                       .hint = kind == "driver" ? "use the simulated machine: --device sim"
                                                : "use `--device windowsperf:fake` to see it on the simulated machine",
                       .code = diag::ExitCode::no_device};
  }
  return diag::usage_error("unknown device '" + name + "'",
                           "devices are driver, windowsperf, etw, linux and sim[:key=value,...]");
}

DevicesHere devices_here() {
  return {.linux_kernel = true};
}

}  // namespace wperf::devices
