// SPDX-License-Identifier: BSD-3-Clause
// Metrics in addition to those that a product's maker published: the tool's own (contract 3.7), and, for cores without
// published metrics, those of another core that are valid on them, too.
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
  std::string_view definition;  // for the uncore: as -e takes it; otherwise empty, and the events are one group
};
std::span<const BuiltInMetric> built_in_metrics();
const BuiltInMetric* find_built_in_metric(std::string_view name);

// Alphabetical. Empty for an unknown core.
std::vector<Metric> metrics_of(Product product);
std::optional<Metric> find_metric_of(Product product, std::string_view name);

}  // namespace wperf::pmu
