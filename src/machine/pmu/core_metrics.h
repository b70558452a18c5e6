// SPDX-License-Identifier: BSD-3-Clause
// Metrics beside those that a product's maker published: what the tool brings itself (contract 3.7), and, for cores
// whose maker published none, those of another core that hold on them too.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "machine/pmu/catalogue.h"

namespace wperf::pmu {

// Events that are counted together; no formula.
struct BuiltInMetric {
  std::string_view name, title, description;
  std::string_view events;      // comma list
  std::string_view definition;  // of the uncore: as -e takes it; else empty, and the events are one group
};
std::span<const BuiltInMetric> built_in_metrics();
const BuiltInMetric* find_built_in_metric(std::string_view name);

// Alphabetical. Of an unknown core none.
std::vector<Metric> metrics_of(Product product);
std::optional<Metric> find_metric_of(Product product, std::string_view name);

}  // namespace wperf::pmu
