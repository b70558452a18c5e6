// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/opened_machine.h"

#include <fmt/format.h>

#include "ground/os/files.h"
#include "machine/devices/devices.h"
#include "wperf_version.h"

namespace wperf::measure {
namespace {

constexpr size_t kDefinitionFileLimit = 1 << 20;

// A path of an existing file is read, line by line; anything else is the text itself (contract 2.3).
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

diag::Result<Machine> open_machine(const request::Measurement& wanted, diag::Console& console,
                                   device::Device::Spe spe) {
  Machine machine;
  WPERF_TRY(machine.device, open_locked_device(wanted));
  WPERF_TRY(machine.capabilities, machine.device->capabilities(spe));
  WPERF_TRY(const auto extra, extra_event_texts(wanted.extra_events));
  WPERF_TRY(const auto metrics, metric_file_texts(wanted.metric_files));
  WPERF_TRY(machine.catalog, plan::make_event_catalog(machine.capabilities, extra, metrics));
  for (const std::string& warning : machine.catalog.warnings) console.warn(warning);
  return machine;
}

}  // namespace wperf::measure
