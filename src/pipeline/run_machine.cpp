// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_machine.h"

#include <fmt/format.h>

#include "device/driver_facts.h"
#include "os/counter_events.h"
#include "pipeline/machine.h"
#include "pipeline/outputs.h"
#include "report/small_reports.h"
#include "wperf_version.h"

namespace wperf::pipeline {
namespace {

diag::Result<void> deliver_blocks(const request::Request& request, const std::vector<report::Block>& blocks,
                                  diag::Console& console) {
  console.out(report::blocks_text(blocks));
  if (wants_json(request.outputs)) WPERF_CHECK_OK(deliver_json(request.outputs, report::blocks_json(blocks), console));
  return {};
}

}  // namespace

profile::Component tool_component() {
  return {.name = "wperf",
          .version = kVersion,
          .git = kGitVersion,
          .features = std::string(os::counter_events_feature()) + "+spe"};
}

profile::TestReport test_report_of(const plan::CountPlan& plan, const plan::Capabilities& machine) {
  profile::TestReport test;
  test.midr = machine.midr;
  test.id_aa64dfr0 = machine.id_aa64dfr0;
  test.pmsidr = machine.pmsidr;
  test.pmbidr = machine.pmbidr;
  test.core_count = machine.core_count;
  test.counters_total = machine.counters_total[index_of(EventClass::core)];
  test.counters_free = machine.counters_free;
  test.counters_fixed[index_of(EventClass::core)] = machine.cycle_counters;
  test.counter_map = machine.counter_map;
  test.device_id = machine.device_id;
  test.period_max_ms = machine.period_max_ms;
  test.period_min_ms = machine.period_min_ms;
  for (const EventClass event_class : kEventClasses) {
    const usize i = index_of(event_class);
    test.classes[i] = machine.counters_total[i] > 0;
    test.requested[i] = !plan.schedules[i].entries.empty();
    for (const plan::Entry& entry : plan.schedules[i].entries) {
      test.schedules[i].push_back({.code = entry.code, .note = plan::note_of(entry)});
    }
  }
  return test;
}

diag::Result<profile::TestReport> measure_test(const request::Request& request, Machine& machine) {
  WPERF_TRY(const plan::CountPlan plan, plan::make_count_plan(request, machine.capabilities, machine.catalog));
  profile::TestReport test = test_report_of(plan, machine.capabilities);
  test.period_ms = plan::configured_period_ms(request, machine.capabilities);
  return test;
}

diag::Result<void> run_test(const request::Request& request, diag::Console& console) {
  WPERF_TRY(Machine machine, open_machine(request, console, device::Device::Spe::asked_for));
  WPERF_TRY(const profile::TestReport test, measure_test(request, machine));
  return deliver_blocks(request, report::test_report(machine.catalog.product, test), console);
}

diag::Result<void> run_detect(const request::Request& request, diag::Console& console) {
  WPERF_TRY(const auto device, open_locked_device(request));
  const device::DeviceIdentity ours = device->identity();
  std::vector<profile::DeviceInstance> found{{.instance_id = ours.instance_id, .hardware_ids = ours.hardware_ids}};
  for (const device::OtherDriver& other : device::other_drivers()) {
    found.push_back({.instance_id = other.instance_id, .hardware_ids = other.hardware_ids});
  }
  return deliver_blocks(request, report::detect_report(found), console);
}

diag::Result<void> run_version(const request::Request& request, diag::Console& console) {
  auto device = device::open_device(request.device);
  if (!device.has_value()) {
    // Without a device there is no second row to show, but the tool can still say what it is.
    console.out(fmt::format("wperf {} ({})\n", kVersion, kGitVersion));
    return device.error();
  }
  WPERF_TRY(const device::DriverVersion driver, device.value()->driver_version());
  if (driver.compatible) WPERF_CHECK_OK(device.value()->acquire(request.force_lock));
  const profile::Component components[] = {
      tool_component(),
      {.name = driver.name, .version = number_text(driver), .git = driver.git, .features = driver.features}};
  WPERF_CHECK_OK(deliver_blocks(request, report::version_report(components), console));
  if (!driver.compatible) return version_mismatch(driver);
  return {};
}

}  // namespace wperf::pipeline
