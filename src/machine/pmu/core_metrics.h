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

// Metric formulas (contract 7): + - * / of event counts, evaluated in postfix form.
struct NamedCount {
  std::string_view name;  // lower case
  u64 value;
};

// Returns nullopt for a division by zero, for damaged postfix, and for a result beyond the range of double. A name that
// is not in `counts` is taken as a number (0 if it is not one).
std::optional<double> value_of_postfix(std::string_view postfix, std::span<const NamedCount> counts);

// Evaluates by contract 7: a division by zero makes the whole metric 0; a name that is not in `counts` is taken as a
// number (0 if it is not one); damaged postfix gives 0. Never returns NaN or infinity.
double evaluate_postfix(std::string_view postfix, std::span<const NamedCount> counts);

// Metrics that a product's vendor did not publish: the tool's metrics (contract 3.7) and, for cores without published
// metrics, the metrics of another core that are also valid for them.

// Events that are counted together, without a formula.
struct BuiltInMetric {
  std::string_view name, title, description;
  std::string_view events;      // comma-separated
  std::string_view definition;  // for uncore events: the text for -e; if empty, the events are one group
};
std::span<const BuiltInMetric> built_in_metrics();
const BuiltInMetric* find_built_in_metric(std::string_view name);

// In alphabetical order. Empty for an unknown core.
std::vector<Metric> metrics_of(Product product);
std::optional<Metric> find_metric_of(Product product, std::string_view name);

}  // namespace wperf::pmu
