// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/opened_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "ground/os/files.h"
#include "machine/devices/devices.h"
#include "wperf_version.h"

namespace wperf::measure {
namespace {

constexpr size_t kDefinitionFileLimit = 1 << 20;

// If an argument is the path of an existing file, the file is read line by line; otherwise the argument is the text
// itself (contract 2.3).
diag::Result<std::vector<std::string>> extra_event_texts(const std::vector<std::string>& arguments) {
  std::vector<std::string> texts;
  for (const std::string& argument : arguments) {
    if (!os::file_exists(argument)) {
      texts.push_back(argument);
      continue;
    }
    WPERF_TRY(const std::string content, os::load_text_file(argument, kDefinitionFileLimit));
    size_t begin = 0;
    while (begin < content.size()) {
      const size_t end = std::min(content.find('\n', begin), content.size());
      std::string line = content.substr(begin, end - begin);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) texts.push_back(std::move(line));
      begin = end + 1;
    }
  }
  return texts;
}

diag::Result<std::vector<std::string>> metric_file_texts(const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    auto content = os::load_text_file(path, kDefinitionFileLimit);
    if (!content.has_value()) return diag::contract_error("open config file '" + path + "' failed");
    texts.push_back(std::move(content).value());
  }
  return texts;
}

using request::Command;
using request::Measurement;

// These commands are about the driver itself, or need no machine.
bool is_about_driver(Command command) {
  return command == Command::none || command == Command::version || command == Command::detect;
}

bool any_token(const Measurement& wanted, bool (*is)(const request::EventToken&)) {
  return std::any_of(wanted.items.begin(), wanted.items.end(), [&](const request::CountItem& item) {
    const auto* const list = std::get_if<request::EventList>(&item);
    return list != nullptr && std::any_of(list->tokens.begin(), list->tokens.end(), is);
  });
}

constexpr std::string_view kOutside = "outside the cores";  // tracing cannot count such events

// The requested option that works with Arm's driver but not with Windows tracing; empty if there is none.
std::string counted_by_drivers(const Measurement& wanted) {
  if (wanted.command != Command::stat && wanted.command != Command::test) return {};
  if (any_token(wanted, [](const request::EventToken& token) { return token.event_class != EventClass::core; })) {
    return std::string(kOutside);
  }
  const auto is_metric = [](const request::CountItem& item) {
    return std::holds_alternative<request::MetricName>(item);
  };
  if (std::any_of(wanted.items.begin(), wanted.items.end(), is_metric)) return "metrics";
  if (any_token(wanted, [](const request::EventToken& token) { return token.group.has_value(); })) return "groups";
  if (wanted.timeline.enabled) return "timelines";
  const bool of_program = wanted.of_program();
  return of_program ? std::string() : "whole cores";
}

}  // namespace

diag::Result<std::unique_ptr<device::Device>> open_locked_device(const request::Measurement& wanted) {
  WPERF_TRY(auto device, devices::open_device(wanted.device));
  WPERF_TRY(const device::DriverVersion driver, device->driver_version());
  if (!driver.compatible) return version_mismatch(driver);
  WPERF_CHECK_OK(device->acquire(wanted.force_lock));
  return device;
}

std::string number_text(const device::DriverVersion& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

diag::Error version_mismatch(const device::DriverVersion& driver) {
  if (driver.refusal.has_value()) return *driver.refusal;
  const u32 ours = device::spoken_wire_version();
  return {.text = fmt::format("Version mismatch between wperf-driver and wperf.\n"
                              "wperf-driver version: {} (protocol {})\nwperf version: {} (protocol {})",
                              number_text(driver), driver.wire_version, kVersion, ours),
          .hint = driver.wire_version < ours
                      ? "install the driver that came with this wperf: wperf-devgen uninstall, wperf-devgen install"
                      : "use the wperf that came with the installed driver, or install the driver of this wperf",
          .verbatim = true};
}

diag::Result<OpenedMachine> open_machine(const request::Measurement& wanted, diag::Console& console,
                                         device::Device::Spe spe) {
  OpenedMachine machine;
  WPERF_TRY(machine.device, open_locked_device(wanted));
  WPERF_TRY(machine.capabilities, machine.device->capabilities(spe));
  WPERF_TRY(const auto extra, extra_event_texts(wanted.extra_events));
  WPERF_TRY(const auto metrics, metric_file_texts(wanted.metric_files));
  WPERF_TRY(machine.catalog, plan::make_event_catalog(machine.capabilities, extra, metrics));
  for (const std::string& warning : machine.catalog.warnings) console.warn(warning);
  return machine;
}

ChosenDevice choose_device(const Measurement& wanted, const devices::DevicesHere& here) {
  if (here.linux_kernel) return {.name = {}, .why = {}};
  if (here.driver || is_about_driver(wanted.command) || !here.tracing) return {.name = "driver", .why = {}};
  const std::string counted = counted_by_drivers(wanted);
  if (here.windowsperf && !counted.empty()) {
    return {.name = "windowsperf",
            .why = "device windowsperf: wperf's driver is not installed, and Arm's driver counts " + counted +
                   (counted == kOutside
                        ? ", which Windows' own tracing cannot count"
                        : " by its own timer instead of at context switches, as Windows' own tracing does")};
  }
  std::string why = "device etw: wperf's driver is not installed, so Windows' own tracing measures";
  if (here.windowsperf) why += "; Arm's driver (--device windowsperf) samples one core and no call stacks";
  if (counted == kOutside) why += "; it cannot count " + counted;
  return {.name = "etw", .why = std::move(why)};
}

bool records_trace(const Measurement& wanted, const devices::DevicesHere& here) {
  const std::string name = wanted.device.empty() ? choose_device(wanted, here).name : wanted.device;
  // Waits on the simulated Windows are recorded by its tracing.
  return name.starts_with("etw") || (wanted.command == Command::waits && name.starts_with("sim"));
}

}  // namespace wperf::measure
