// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/plan/names.h"
#include "machine/plan/plan.h"
#include "machine/plan/test_machine.h"

namespace wperf::plan {
namespace {

std::string definition_of(const EventCatalog& catalog, std::string_view name) {
  const MetricDefinition* metric = catalog.find_metric(name);
  return metric == nullptr ? "none" : metric->definition;
}

TEST(EventCatalog, BuiltInMetrics) {
  const EventCatalog words = catalog_of(test_machine());
  EXPECT_EQ(words.product.name(), "neoverse-n1");
  EXPECT_EQ(definition_of(words, "imix"), "{inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec}");
  EXPECT_EQ(definition_of(words, "dcache"), "{l1d_cache,l1d_cache_refill,l2d_cache,l2d_cache_refill,inst_retired}");
  EXPECT_EQ(definition_of(words, "itlb"), "{l1i_tlb,l1i_tlb_refill,l2i_tlb,l2i_tlb_refill,inst_retired}");
  EXPECT_EQ(definition_of(words, "l3_cache"), "/dsu/l3d_cache,/dsu/l3d_cache_refill");
  EXPECT_EQ(definition_of(words, "ddr_bw"), "/dmc_clkdiv2/rdwr");
  EXPECT_FALSE(words.find_metric("imix")->solution.has_value());
  EXPECT_TRUE(words.warnings.empty());
}

TEST(EventCatalog, BuiltInsAreCutToTheFreeCounters) {
  EXPECT_EQ(definition_of(catalog_of(test_machine(kNeoverseN1, 5)), "imix"),
            "{inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec}");
  EXPECT_EQ(definition_of(catalog_of(test_machine(kNeoverseN1, 1)), "dtlb"), "{l1d_tlb}");
  EXPECT_EQ(definition_of(catalog_of(test_machine(kNeoverseN1, 0)), "imix"), "none");
}

TEST(EventCatalog, OtherVendorsAndMissingUncore) {
  Capabilities machine = test_machine(kUnknownCpu);
  machine.counters_total = machine.counters_free = {6, 0, 0, 0};
  const EventCatalog words = catalog_of(machine);
  EXPECT_EQ(words.product.name(), "armv8-a");
  EXPECT_TRUE(words.metrics.empty());
}

TEST(EventCatalog, MetricsOfTheProduct) {
  const EventCatalog words = catalog_of(test_machine());
  usize solution_count = 0;
  for (const MetricDefinition& metric : words.metrics) {
    if (!metric.solution.has_value()) continue;
    ++solution_count;
    EXPECT_EQ(metric.definition, "{" + std::string(metric.solution->events) + "}");
  }
  EXPECT_EQ(solution_count, words.product.metric_count());
  EXPECT_TRUE(std::is_sorted(words.metrics.begin(), words.metrics.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(EventCatalog, ProductMetricsThatDoNotFitAreSilentlyAbsent) {
  const EventCatalog words = catalog_of(test_machine(kNeoverseN1, 1));
  for (const MetricDefinition& metric : words.metrics) {
    if (metric.solution.has_value()) {
      EXPECT_EQ(metric.events.tokens.size(), 1u) << metric.name;
    }
  }
  EXPECT_TRUE(words.warnings.empty());
}

TEST(EventCatalog, EveryMetricOfEveryProductResolvesToItsOwnCodes) {
  for (usize i = 0; i < pmu::product_count(); ++i) {
    EventCatalog words;
    words.product = pmu::product_at(i);
    for (usize m = 0; m < words.product.metric_count(); ++m) {
      const pmu::Metric metric = words.product.metric(m);
      for (const request::EventToken& token : event_list(metric.events).tokens) {
        const auto code = resolve_code(token, words, NameOrder::product_first);
        ASSERT_TRUE(code.has_value()) << words.product.name() << " " << metric.name << " " << token.text;
      }
    }
  }
}

TEST(EventCatalog, CoresWithoutPublishedMetricsHaveThoseThatHoldOnThem) {
  const EventCatalog words = catalog_of(test_machine(kCortexX1C));
  ASSERT_EQ(words.product.metric_count(), 0u) << "no test";
  EXPECT_EQ(definition_of(words, "ipc"), "{cpu_cycles,inst_retired}");
  EXPECT_EQ(words.find_metric("ipc")->solution->postfix, "inst_retired cpu_cycles /");
}

TEST(EventCatalog, OfAMachineOfTwoKindsTheMetricsOfBoth) {
  Capabilities machine = test_machine(kCortexX1C);
  machine.core_midr = {kCortexX1C, kCortexX1C, kNeoverseV1, kNeoverseV1};
  EXPECT_EQ(kinds_of_cores(machine).size(), 2u);
  EXPECT_EQ(product_of_core(machine, 2).name(), "neoverse-v1");
  EXPECT_EQ(product_of_core(machine, 9).name(), "cortex-x1c") << "one that nobody described";
  const EventCatalog words = catalog_of(machine);
  EXPECT_EQ(words.product.name(), "cortex-x1c");
  EXPECT_NE(definition_of(words, "ipc"), "none");
  EXPECT_NE(definition_of(words, "retiring"), "none") << "a metric of the Neoverse V1 alone";
}

TEST(EventCatalog, FileMetricsReplaceBuiltIns) {
  const auto result =
      make_event_catalog(test_machine(), {}, {"imix:{ld_spec,st_spec}\nmine:/dsu/l3d_cache , inst_spec\n"});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(definition_of(result.value(), "imix"), "{ld_spec,st_spec}");
  EXPECT_EQ(definition_of(result.value(), "mine"), "/dsu/l3d_cache,inst_spec");
  EXPECT_TRUE(result.value().warnings.empty());
}

TEST(EventCatalog, FileMetricsThatDoNotFitWarn) {
  const auto result = make_event_catalog(
      test_machine(kNeoverseN1, 2), {},
      {"imix:{ld_spec,st_spec,inst_spec}\nodd:{no_such_event}\nlonely\nopen:{a\n:ld_spec\nfine:ld_spec"});
  ASSERT_TRUE(result.has_value());
  const std::vector<std::string> expected = {
      "warning: Metric imix is unable to be used due to lack of hardware resources.",
      "note: event group size(3) exceeds number of free hardware PMU counters(2) out of a total of (6)",
      "warning: Metric odd is unable to be used due to lack of hardware resources.",
      "note: unknown event name: no_such_event",
      "warning: Metric lonely is unable to be used due to lack of hardware resources.",
      "note: the metric has no events",
      "warning: Metric open is unable to be used due to lack of hardware resources.",
      "note: missing '}' for event group {a",
      "warning: Metric  is unable to be used due to lack of hardware resources.",
      "note: the metric has no name",
  };
  EXPECT_EQ(result.value().warnings, expected);
  EXPECT_EQ(definition_of(result.value(), "fine"), "ld_spec");
  EXPECT_EQ(definition_of(result.value(), "imix"), "{inst_spec,dp_spec}");
}

TEST(EventCatalog, ThirdPartOfAMetricLineEndsTheRun) {
  const auto result = make_event_catalog(test_machine(), {}, {"a:ld_spec:b"});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().text, "unrecognized config component 'b'");
}

TEST(EventCatalog, ExtraEventsFromSeveralTexts) {
  const auto typed = make_event_catalog(test_machine(), {"foo:0x1234"}, {"m:foo"});
  ASSERT_TRUE(typed.has_value());
  EXPECT_EQ(typed.value().extra.all().size(), 1u);
  EXPECT_EQ(definition_of(typed.value(), "m"), "foo");
  const auto several = make_event_catalog(test_machine(), {"foo:1234,bar:77", "/dsu/baz:ab"}, {});
  ASSERT_TRUE(several.has_value());
  EXPECT_EQ(several.value().extra.all().size(), 3u);
  EXPECT_FALSE(make_event_catalog(test_machine(), {""}, {}).has_value());
  EXPECT_FALSE(make_event_catalog(test_machine(), {"a b:1"}, {}).has_value());
}

TEST(Names, OrderOfTheTables) {
  const EventCatalog words = make_event_catalog(test_machine(), {"mine:1b,/dsu/mine:2c,vfp_spec:99"}, {}).value();
  const auto code = [&](std::string_view text) {
    const auto result = resolve_code(event_list(text).tokens.at(0), words, NameOrder::architecture_first);
    return result.has_value() ? std::to_string(result.value()) : result.error().text;
  };
  EXPECT_EQ(code("mine"), "27");
  EXPECT_EQ(code("/dsu/mine"), "44");
  EXPECT_EQ(code("vfp_spec"), "153");  // -E comes before the tables, but only in the exact spelling
  EXPECT_EQ(code("VFP_SPEC"), "117");
  EXPECT_EQ(code("Mine"), "unknown event name: Mine");
  EXPECT_EQ(code("l3d_cache"), "43");
  EXPECT_EQ(code("/dsu/L3D_Cache"), "43");
  EXPECT_EQ(code("r1b"), "27");
  EXPECT_EQ(code("/dsu/inst_spec"), "unknown event name: inst_spec");
}

TEST(Names, ShownNames) {
  EventCatalog words = make_event_catalog(test_machine(), {"mine:1b,other:fff0"}, {}).value();
  const auto shown = [&](std::string_view text) {
    const request::EventToken token = event_list(text).tokens.at(0);
    return shown_name(token, resolve_code(token, words, NameOrder::architecture_first).value(), words);
  };
  EXPECT_EQ(shown("mine"), "inst_spec");
  EXPECT_EQ(shown("other"), "other");
  EXPECT_EQ(shown("rfff1"), "rfff1");
  EXPECT_EQ(shown("/dsu/r2b"), "l3d_cache");
  EXPECT_EQ(shown("/dsu/rfff0"), "rfff0");
  // This event is not in the list of a Neoverse N1.
  EXPECT_EQ(shown("L2I_Cache"), "l2i_cache");
  EXPECT_EQ(shown("l2i_tlb"), "l2i_tlb");
  EXPECT_EQ(shown("r27"), "r27") << "as it was typed";
}

TEST(Names, WhatArmv9AddsIsKnownOnItsCores) {
  const request::EventToken token = event_list("pmu_ovfs").tokens.at(0);
  const EventCatalog of_v3 = catalog_of(test_machine(0x410fd840));
  ASSERT_FALSE(of_v3.product.find_event("pmu_ovfs").has_value()) << "no test";
  const auto code = resolve_code(token, of_v3, NameOrder::architecture_first);
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(shown_name(token, code.value(), of_v3), "pmu_ovfs");
  const EventCatalog of_n1 = catalog_of(test_machine());
  EXPECT_FALSE(resolve_code(token, of_n1, NameOrder::architecture_first).has_value());
}

}  // namespace
}  // namespace wperf::plan
