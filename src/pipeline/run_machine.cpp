// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_machine.h"

#include <fmt/format.h>

#include "pipeline/machine.h"
#include "pipeline/outputs.h"
#include "report/small_reports.h"
#include "wperf_version.h"

namespace wperf::pipeline {
namespace {

void deliver_blocks(const request::Request& request, const std::vector<report::Block>& blocks, diag::Console& console) {
  console.out(report::blocks_text(blocks));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::blocks_json(blocks), console);
}

}  // namespace

profile::Component tool_component() {
  return {.name = "wperf", .version = kVersion, .git = kGitVersion, .features = ""};
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

diag::Result<void> run_test(const request::Request& request, diag::Console& console) {
  WPERF_TRY(Machine machine, open_machine(request, console));
  WPERF_TRY(const plan::CountPlan plan, plan::make_count_plan(request, machine.capabilities, machine.vocabulary));
  profile::TestReport test = test_report_of(plan, machine.capabilities);
  test.period_ms = plan::configured_period_ms(request, machine.capabilities);
  deliver_blocks(request, report::test_report(machine.vocabulary.product, test), console);
  return {};
}

diag::Result<void> run_detect(const request::Request& request, diag::Console& console) {
  WPERF_TRY(const auto device, open_locked_device(request));
  const profile::DeviceInstance instance{.instance_id = device->machine().instance_id(),
                                         .hardware_ids = device->machine().hardware_ids()};
  deliver_blocks(request, report::detect_report({&instance, 1}), console);
  return {};
}

diag::Result<void> run_version(const request::Request& request, diag::Console& console) {
  auto device = open_locked_device(request);
  if (!device.has_value()) {
    // Without a device there is no second row to show, but the tool can still say what it is.
    if (device.error().code == diag::ExitCode::no_device) {
      console.out(fmt::format("wperf {} ({})\n", kVersion, kGitVersion));
    }
    return device.error();
  }
  WPERF_TRY(const device::DriverVersion driver, device.value()->driver_version());
  const std::string driver_version = fmt::format("{}.{}.{}", driver.major, driver.minor, driver.patch);
  const profile::Component components[] = {
      tool_component(),
      {.name = "wperf-driver", .version = driver_version, .git = driver.git, .features = driver.features}};
  deliver_blocks(request, report::version_report(components), console);
  if (driver_version != kVersion) {
    return diag::contract_error(
        fmt::format("Version mismatch between wperf-driver and wperf.\nwperf-driver version: {}\n"
                    "wperf version: {}",
                    driver_version, kVersion));
  }
  return {};
}

}  // namespace wperf::pipeline
