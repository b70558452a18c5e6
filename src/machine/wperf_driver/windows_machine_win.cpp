// SPDX-License-Identifier: BSD-3-Clause
// Windows with wperf-driver.sys.
#include <utility>

#include "ground/os/windows_facts.h"
#include "machine/windows/on_windows_win.h"
#include "machine/wperf_driver/driver_device.h"
#include "machine/wperf_driver/driver_handle_win.h"

namespace wperf::wperf_driver {
namespace {

class WindowsMachine final : public windows::OnWindows<device::DriverMachine> {
 public:
  explicit WindowsMachine(DriverHandle driver) : driver_(std::move(driver)) {}

  diag::Result<device::DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) override {
    return driver_.control(code, buffer, input);
  }
  device::DeviceIdentity identity() override {
    return {.instance_id = driver_.instance_id(), .hardware_ids = driver_.hardware_ids()};
  }
  std::string model() override {
    const auto windows = os::windows_facts();
    return windows.has_value() ? windows->model : std::string();
  }

 private:
  DriverHandle driver_;
};

}  // namespace

diag::Result<std::unique_ptr<device::DriverMachine>> open_windows_machine() {
  WPERF_TRY(DriverHandle driver, DriverHandle::open());
  return std::unique_ptr<device::DriverMachine>(std::make_unique<WindowsMachine>(std::move(driver)));
}

}  // namespace wperf::wperf_driver
