// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/measure/opened_machine.h"
#include "app/measure/test_report.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "machine/devices/devices.h"
#include "machine/windows/driver_facts.h"
#include "views/report/tool_reports.h"
#include "wperf_version.h"

namespace wperf::commands {
namespace {

diag::Result<void> deliver_blocks(const request::Request& request, const std::vector<report::Block>& blocks,
                                  diag::Console& console) {
  return output::show(
      request.outputs, console, [&] { return report::blocks_text(blocks); },
      [&] { return report::blocks_json(blocks); });
}

}  // namespace

diag::Result<void> run_test(const request::Request& request, diag::Console& console) {
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(request, console, device::Device::Spe::asked_for));
  WPERF_TRY(const answers::TestReport test, measure::measure_test(request, machine));
  return deliver_blocks(request, report::test_report(machine.catalog.product, test), console);
}

diag::Result<void> run_detect(const request::Request& request, diag::Console& console) {
  WPERF_TRY(const auto device, measure::open_locked_device(request));
  const device::DeviceIdentity ours = device->identity();
  std::vector<answers::DeviceInstance> found{{.instance_id = ours.instance_id, .hardware_ids = ours.hardware_ids}};
  for (const windows::OtherDriver& other : windows::other_drivers()) {
    found.push_back({.instance_id = other.instance_id, .hardware_ids = other.hardware_ids});
  }
  return deliver_blocks(request, report::detect_report(found), console);
}

diag::Result<void> run_version(const request::Request& request, diag::Console& console) {
  auto device = devices::open_device(request.device);
  if (!device.has_value()) {
    // Without a device there is no second row, but the version of the tool is shown.
    console.out(fmt::format("wperf {} ({})\n", kVersion, kGitVersion));
    return device.error();
  }
  WPERF_TRY(device::DriverVersion driver, device.value()->driver_version());
  if (driver.compatible) {
    WPERF_CHECK_OK(device.value()->acquire(request.force_lock));
    WPERF_TRY(driver, device.value()->driver_version());  // some drivers report more to the holder of the lock
  }
  const answers::Component components[] = {
      measure::tool_component(),
      {.name = driver.name, .version = measure::number_text(driver), .git = driver.git, .features = driver.features}};
  WPERF_CHECK_OK(deliver_blocks(request, report::version_report(components), console));
  if (!driver.compatible) return measure::version_mismatch(driver);
  return {};
}

}  // namespace wperf::commands
