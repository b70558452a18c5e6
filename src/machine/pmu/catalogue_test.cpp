// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace wperf::pmu {
namespace {

Product product(std::string_view name) {
  const std::optional<Product> found = find_product(name);
  EXPECT_TRUE(found.has_value()) << name;
  return found.value_or(architectural());
}

TEST(Catalogue, ProductsAreAlphabeticalAndFoundByTheirNames) {
  ASSERT_GE(product_count(), 40u);
  for (usize i = 0; i < product_count(); ++i) {
    const Product entry = product_at(i);
    if (i > 0) {
      EXPECT_LT(product_at(i - 1).name(), entry.name());
    }
    EXPECT_EQ(find_product(entry.name()), entry);
    EXPECT_FALSE(entry.title().empty());
    EXPECT_GT(entry.event_count(), 0u);
  }
  for (const char* unknown : {"", "neoverse", "neoverse-n1x", "zzz", "Neoverse-N1"}) {
    EXPECT_FALSE(find_product(unknown).has_value()) << unknown;
  }
}

TEST(Catalogue, AliasesLeadToProductsAndAreAlphabetical) {
  ASSERT_EQ(aliases().size(), 2u);
  EXPECT_LT(aliases()[0].alias, aliases()[1].alias);
  EXPECT_EQ(product("neoverse-n2-r0p0"), product("neoverse-n2"));
  EXPECT_EQ(product("neoverse-n2-r0p1"), product("neoverse-n2"));
  EXPECT_NE(product("neoverse-n2-r0p3"), product("neoverse-n2"));
}

TEST(Catalogue, EveryEventIsFoundByNameAndCodeAndHasItsText) {
  for (usize p = 0; p < product_count(); ++p) {
    const Product entry = product_at(p);
    std::set<std::string_view> names;
    for (usize i = 0; i < entry.event_count(); ++i) {
      const Event event = entry.event(i);
      if (i > 0) {
        EXPECT_LE(entry.event(i - 1).code, event.code);
      }
      EXPECT_TRUE(names.insert(event.name).second) << event.name;
      EXPECT_EQ(event.name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ, "), std::string_view::npos) << event.name;
      EXPECT_FALSE(event.title.empty() || event.description.empty()) << event.name;
      const std::optional<Event> by_name = entry.find_event(event.name);
      ASSERT_TRUE(by_name.has_value()) << entry.name() << ' ' << event.name;
      EXPECT_EQ(by_name->name, event.name);
      EXPECT_EQ(by_name->code, event.code);
      const std::optional<Event> by_code = entry.find_event(event.code);
      ASSERT_TRUE(by_code.has_value());
      EXPECT_EQ(by_code->code, event.code);
    }
    EXPECT_FALSE(entry.find_event("no_such_event").has_value());
    EXPECT_FALSE(entry.find_event("").has_value());
    EXPECT_FALSE(entry.find_event(u16{0xfffe}).has_value());
  }
}

TEST(Catalogue, MetricsAndGroupsAreAlphabeticalAndWhole) {
  for (usize p = 0; p < product_count(); ++p) {
    const Product entry = product_at(p);
    for (usize i = 0; i < entry.metric_count(); ++i) {
      const Metric metric = entry.metric(i);
      if (i > 0) {
        EXPECT_LT(entry.metric(i - 1).name, metric.name);
      }
      EXPECT_EQ(entry.find_metric(metric.name).value_or(Metric{}).formula, metric.formula);
      EXPECT_FALSE(metric.title.empty() || metric.description.empty() || metric.unit.empty()) << metric.name;
      EXPECT_EQ(metric.events.find(' '), std::string_view::npos);
      EXPECT_EQ(metric.postfix.find_first_of("()"), std::string_view::npos);
    }
    for (usize i = 0; i < entry.group_count(); ++i) {
      const MetricGroup group = entry.group(i);
      if (i > 0) {
        EXPECT_LT(entry.group(i - 1).name, group.name);
      }
      EXPECT_EQ(entry.find_group(group.name).value_or(MetricGroup{}).metrics, group.metrics);
      EXPECT_FALSE(group.title.empty() || group.description.empty()) << group.name;
      usize begin = 0;
      while (begin <= group.metrics.size()) {
        const usize comma = std::min(group.metrics.find(',', begin), group.metrics.size());
        EXPECT_TRUE(entry.find_metric(group.metrics.substr(begin, comma - begin)).has_value()) << group.metrics;
        begin = comma + 1;
      }
    }
    EXPECT_FALSE(entry.find_metric("no_such_metric").has_value());
    EXPECT_FALSE(entry.find_group("no_such_group").has_value());
  }
}

TEST(Catalogue, NeoverseN1) {
  const Product n1 = product("neoverse-n1");
  EXPECT_EQ(n1.title(), "Neoverse N1");
  EXPECT_EQ(n1.architecture(), "armv8.2");
  EXPECT_EQ(n1.pmu_architecture(), "pmu_v3");
  EXPECT_EQ(n1.slots(), 5u);
  EXPECT_TRUE(n1.has_own_events());
  EXPECT_EQ(n1.find_event("inst_spec").value_or(Event{}).code, 0x1b);
  EXPECT_EQ(n1.find_event(u16{0x11}).value_or(Event{}).name, "cpu_cycles");
  EXPECT_FALSE(n1.find_event("stall_slot").has_value());  // N1 has no slot events
  EXPECT_FALSE(n1.find_metric("retiring").has_value());
  const Metric mpki = n1.find_metric("l1d_cache_mpki").value_or(Metric{});
  EXPECT_EQ(mpki.formula, "l1d_cache_refill / inst_retired * 1000");
  EXPECT_EQ(mpki.postfix, "l1d_cache_refill inst_retired / 1000 *");
  EXPECT_EQ(mpki.events, "inst_retired,l1d_cache_refill");
  EXPECT_EQ(mpki.unit, "MPKI");
  EXPECT_EQ(n1.find_group("Branch_Effectiveness").value_or(MetricGroup{}).metrics,
            "branch_mpki,branch_misprediction_ratio");
}

TEST(Catalogue, TopDownDiffersBetweenRevisionsOfN2) {
  const Metric early = product("neoverse-n2").find_metric("retiring").value_or(Metric{});
  const Metric late = product("neoverse-n2-r0p3").find_metric("retiring").value_or(Metric{});
  EXPECT_NE(early.formula.find("stall_slot - cpu_cycles"), std::string_view::npos);
  EXPECT_EQ(late.formula.find("stall_slot - cpu_cycles"), std::string_view::npos);
  EXPECT_EQ(early.title, late.title);
}

TEST(Catalogue, OneNameHasAnotherCodeOnAnotherCore) {
  const Event common = architectural().find_event("stall_backend_st").value_or(Event{});
  const Event a55 = product("cortex-a55").find_event("stall_backend_st").value_or(Event{});
  EXPECT_EQ(common.code, 0x8168);
  EXPECT_TRUE(common.architectural);
  EXPECT_EQ(a55.code, 0xe8);
  EXPECT_FALSE(a55.architectural);
  EXPECT_TRUE(product("cortex-a55").find_event("inst_retired").value_or(Event{}).architectural);
  EXPECT_FALSE(architectural().find_event("brb_filtrate").has_value());
  EXPECT_TRUE(product("armv9-a").find_event("brb_filtrate").value_or(Event{}).architectural);
}

TEST(Catalogue, LastLevelEventsOfV3SayThatTheyCountLevelTwo) {
  const Event on_v3 = product("neoverse-v3").find_event("ll_cache_rd").value_or(Event{});
  const Event on_n1 = product("neoverse-n1").find_event("ll_cache_rd").value_or(Event{});
  EXPECT_EQ(on_v3.code, on_n1.code);
  EXPECT_NE(on_v3.description.find("level 2"), std::string_view::npos);
  EXPECT_EQ(on_n1.description.find("level 2"), std::string_view::npos);
}

TEST(Catalogue, TwoNamesOfOneCodeAreBothFound) {
  const Product core = product("ampereonex");
  EXPECT_EQ(core.find_event("bpu_flush_mem_fault").value_or(Event{}).code, 0x121);
  EXPECT_EQ(core.find_event("gpc_flush_mem_fault").value_or(Event{}).code, 0x121);
  EXPECT_EQ(core.find_event(u16{0x121}).value_or(Event{}).name, "bpu_flush_mem_fault");
}

TEST(Catalogue, AnEventIsFoundByItsNewerNameToo) {
  struct {
    const char *product, *listed, *newer;
  } const kEvents[] = {{"neoverse-n3", "imp_ls_rar", "imp_ls_rar_hazard"},
                       {"neoverse-n3", "imp_l2_chi_cbusy_mt", "imp_l2_chi_rx_cbusy_mt"},
                       {"neoverse-v3", "dispatch_stall_mcq", "imp_stall_backend_mcq"},
                       {"neoverse-v3", "l2_chi_cbusy0", "imp_l2_chi_rx_cbusy_0"},
                       {"neoverse-v3", "imp_l2_cache_if_refill", "imp_l2_cache_refill_if"}};
  for (const auto& [name, listed, newer] : kEvents) {
    const Event event = product(name).find_event(newer).value_or(Event{});
    EXPECT_EQ(event.name, listed);
    EXPECT_EQ(event.code, product(name).find_event(listed).value_or(Event{}).code);
    EXPECT_NE(event.code, 0);
    EXPECT_EQ(product(name).find_event(event.code).value_or(Event{}).name, listed);
  }
  EXPECT_FALSE(product("neoverse-v2").find_event("imp_ls_rar_hazard").has_value());
  EXPECT_TRUE(product("neoverse-v3").find_event("stall_backend_l2d").has_value());
}

TEST(Catalogue, ProductsWithoutAListOfTheirOwnAnswerTheArchitecture) {
  const Product oryon = product("qualcomm-oryon");
  EXPECT_FALSE(oryon.has_own_events());
  EXPECT_FALSE(architectural().has_own_events());
  EXPECT_EQ(oryon.event_count(), architectural().event_count());
  EXPECT_EQ(oryon.find_event("ld_spec").value_or(Event{}).code, 0x70);
  EXPECT_EQ(oryon.metric_count(), 0u);
  EXPECT_EQ(product("cortex-x925").event_count(), product("armv9-a").event_count());
}

TEST(Catalogue, UncoreEvents) {
  EXPECT_EQ(uncore_event_count(EventClass::core), 0u);
  EXPECT_EQ(uncore_event_count(EventClass::dsu), 49u);
  EXPECT_EQ(uncore_event_count(EventClass::dmc_clk), 3u);
  EXPECT_EQ(uncore_event_count(EventClass::dmc_clkdiv2), 26u);
  EXPECT_EQ(find_uncore_event(EventClass::dsu, "l3d_cache").value_or(Event{}).code, 0x2b);
  EXPECT_EQ(find_uncore_event(EventClass::dsu, u16{0x2a}).value_or(Event{}).name, "l3d_cache_refill");
  EXPECT_EQ(find_uncore_event(EventClass::dmc_clkdiv2, "rdwr").value_or(Event{}).code, 0x12);
  EXPECT_FALSE(find_uncore_event(EventClass::dmc_clk, "rdwr").has_value());
  for (const EventClass event_class : kEventClasses) {
    for (usize i = 0; i < uncore_event_count(event_class); ++i) {
      const Event event = uncore_event(event_class, i);
      EXPECT_EQ(find_uncore_event(event_class, event.name).value_or(Event{}).code, event.code);
      EXPECT_EQ(find_uncore_event(event_class, event.code).value_or(Event{}).name, event.name);
      EXPECT_FALSE(event.title.empty() || event.description.empty() || event.architectural) << event.name;
    }
  }
}

}  // namespace
}  // namespace wperf::pmu
