// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/core_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wperf::pmu {
namespace {

TEST(CoreMetrics, APublishedListIsTheWholeList) {
  for (const char* name : {"neoverse-n1", "neoverse-v2", "c1-ultra"}) {
    const Product product = find_product(name).value();
    const std::vector<Metric> metrics = metrics_of(product);
    ASSERT_EQ(metrics.size(), product.metric_count());
    for (usize i = 0; i < metrics.size(); ++i) EXPECT_EQ(metrics[i].name, product.metric(i).name);
  }
  EXPECT_FALSE(find_metric_of(find_product("neoverse-v2").value(), "ll_cache_read_nonsense").has_value());
}

TEST(CoreMetrics, ACoreWithoutOnesHasThoseItCanCount) {
  const Product a55 = find_product("cortex-a55").value();
  ASSERT_EQ(a55.metric_count(), 0u) << "no test";
  ASSERT_TRUE(find_metric_of(a55, "ipc").has_value());
  EXPECT_EQ(find_metric_of(a55, "ipc")->formula, "inst_retired / cpu_cycles");
  for (const char* name : {"cortex-a55", "cortex-a76", "cortex-x4", "ampereone"}) {
    const Product product = find_product(name).value();
    for (const Metric& metric : metrics_of(product)) {
      for (std::string_view rest = metric.events; !rest.empty();) {
        const usize comma = std::min(rest.find(','), rest.size());
        EXPECT_TRUE(product.find_event(rest.substr(0, comma)).has_value()) << name << " " << metric.name;
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
    }
  }
  // AmpereOne has no last-level read events.
  EXPECT_FALSE(find_metric_of(find_product("ampereone").value(), "ll_cache_read_mpki").has_value());
}

TEST(CoreMetrics, OfACoreWithoutAListOnlyWhatEveryCoreCounts) {
  const Product oryon = find_product("qualcomm-oryon").value();
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics_of(oryon)) names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"ipc", "l1d_cache_miss_ratio", "l1d_cache_mpki"}));
  EXPECT_TRUE(metrics_of(architectural()).empty());
  EXPECT_FALSE(find_metric_of(architectural(), "ipc").has_value());
}

TEST(CoreMetrics, BuiltInsAreMadeOfEventsThatExist) {
  for (const BuiltInMetric& metric : built_in_metrics()) {
    EXPECT_EQ(find_built_in_metric(metric.name), &metric);
    if (!metric.definition.empty()) continue;
    for (std::string_view rest = metric.events; !rest.empty();) {
      const usize comma = std::min(rest.find(','), rest.size());
      EXPECT_TRUE(architectural().find_event(rest.substr(0, comma)).has_value()) << rest;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  EXPECT_EQ(find_built_in_metric("ipc"), nullptr);
}

}  // namespace
}  // namespace wperf::pmu
