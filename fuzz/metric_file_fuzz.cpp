// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary files of -C. Every line becomes a warning, or a metric that can be found and counted.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "machine/plan/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wperf::plan::Capabilities machine;
  machine.midr = 0x413fd0c1;
  machine.core_count = 4;
  machine.counters_total = machine.counters_free = {6, 6, 4, 8};
  auto words = wperf::plan::make_event_catalog(machine, {}, {std::string(reinterpret_cast<const char*>(data), size)});
  if (!words.has_value()) {
    if (words.error().text.empty()) std::abort();
    return 0;
  }
  const std::vector<wperf::plan::MetricDefinition> metrics = words.value().metrics;
  for (const wperf::plan::MetricDefinition& metric : metrics) {
    if (words.value().find_metric(metric.name) == nullptr) std::abort();
    if (metric.solution.has_value()) continue;
    wperf::request::Measurement request;
    request.items.emplace_back(wperf::request::MetricName{metric.name});
    const auto plan = wperf::plan::make_count_plan(request, machine, words.value());
    // A list can still be too long for the driver; every other error is wrong.
    if (!plan.has_value() && plan.error().text.find("too many") == std::string::npos) std::abort();
  }
  return 0;
}
