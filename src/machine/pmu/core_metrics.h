// SPDX-License-Identifier: BSD-3-Clause
// Metrics of cores, and the formulas that compute them.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "machine/pmu/catalogue.h"

namespace wperf::pmu {

// Metric formulas (contract 7): + - * / over event counts, evaluated from postfix.
struct NamedCount {
  std::string_view name;  // lower case
  u64 value;
};

// nullopt after a division by zero, for damaged postfix, and beyond the range of double. A name that is not among
// `counts` evaluates as a number (0 if it is not one).
std::optional<double> value_of_postfix(std::string_view postfix, std::span<const NamedCount> counts);

// The same by contract 7: division by zero makes the whole metric 0; a name that is not among `counts` evaluates as a
// number (0 if it is not one); damaged postfix gives 0. Never NaN or infinite.
double evaluate_postfix(std::string_view postfix, std::span<const NamedCount> counts);

// Metrics in addition to those that a product's vendor published: the tool's own (contract 3.7), and, for cores without
// published metrics, those metrics of another core that are also valid on them.

// Events that are counted together; no formula.
struct BuiltInMetric {
  std::string_view name, title, description;
  std::string_view events;      // comma list
  std::string_view definition;  // for the uncore: the spelling for -e; if empty, the events are one group
};
std::span<const BuiltInMetric> built_in_metrics();
const BuiltInMetric* find_built_in_metric(std::string_view name);

// Alphabetical. Empty for an unknown core.
std::vector<Metric> metrics_of(Product product);
std::optional<Metric> find_metric_of(Product product, std::string_view name);

}  // namespace wperf::pmu
