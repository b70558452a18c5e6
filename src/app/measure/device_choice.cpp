// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/device_choice.h"

#include <algorithm>
#include <variant>

namespace wperf::measure {
namespace {

using request::Command;
using request::Measurement;

// These ask for the driver itself, or want no machine.
bool is_about_driver(Command command) {
  return command == Command::none || command == Command::version || command == Command::detect;
}

bool any_token(const Measurement& wanted, bool (*is)(const request::EventToken&)) {
  return std::any_of(wanted.items.begin(), wanted.items.end(), [&](const request::CountItem& item) {
    const auto* const list = std::get_if<request::EventList>(&item);
    return list != nullptr && std::any_of(list->tokens.begin(), list->tokens.end(), is);
  });
}

constexpr std::string_view kOutside = "outside the cores";  // tracing cannot count these

// The requested option that Arm's driver serves better than Windows' own tracing; empty: no such option.
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

}  // namespace wperf::measure
