// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <map>
#include <string>

#include "analysis/topdown/drill.h"

namespace wperf::topdown {
namespace {

using Counts = std::vector<EventCount>;

// Evaluates the formulas of the catalogue, which are infix; the tables have postfix formulas.
class Infix {
 public:
  Infix(std::string_view text, const Counts& counts) : text_(text), counts_(counts) {}
  double value() {
    const double result = sum();
    EXPECT_EQ(at_, text_.size()) << text_;
    return result;
  }

 private:
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  double sum() {
    double result = product();
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      const double right = product();
      result = sign == '+' ? result + right : result - right;
    }
    return result;
  }
  double product() {
    double result = factor();
    for (char sign = next(); sign == '*' || sign == '/'; sign = next()) {
      ++at_;
      const double right = factor();
      result = sign == '*' ? result * right : result / right;
    }
    return result;
  }
  double factor() {
    if (next() == '(') {
      ++at_;
      const double result = sum();
      EXPECT_EQ(next(), ')');
      ++at_;
      return result;
    }
    std::string word;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' || text_[at_] == '.'))
      word += text_[at_++];
    for (const EventCount& count : counts_) {
      if (count.name == word) return static_cast<double>(count.value);
    }
    return std::stod(word);
  }

  std::string_view text_;
  const Counts& counts_;
  usize at_ = 0;
};

EventCount exactly(std::string_view name, u64 value) {
  return {.name = std::string(name), .value = value, .low = value, .high = value};
}

// Counts of every event of the tree. No count is 0.
Counts some_counts(const Method& method, u64 seed) {
  std::map<std::string, u64> values;
  u64 random = seed;
  for (const Node& node : method.nodes) {
    for (const std::string_view event : words_of(node.metric.events)) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      values.try_emplace(std::string(event), 1 + (random >> 33));
    }
  }
  if (values.contains("stall_slot")) {
    values["stall_slot"] = values["stall_slot_frontend"] + values["stall_slot_backend"];
  }
  Counts counts;
  for (const auto& [name, value] : values) counts.push_back(exactly(name, value));
  return counts;
}

template <typename Use>
void each_method(const Use& use) {
  u32 found = 0;
  for (usize i = 0; i < pmu::product_count(); ++i) {
    const Method method = method_of(pmu::product_at(i));
    if (method.nodes.empty()) continue;
    ++found;
    SCOPED_TRACE(pmu::product_at(i).name());
    use(pmu::product_at(i), method);
  }
  EXPECT_GE(found, 12U);
}

TEST(TopdownMethod, FormulasGiveWhatTheySay) {
  each_method([](pmu::Product, const Method& method) {
    for (u64 seed = 1; seed <= 20; ++seed) {
      const Counts counts = some_counts(method, seed);
      for (const Node& node : method.nodes) {
        const Share share = evaluate(node.metric, counts);
        const double expected = Infix(node.metric.formula, counts).value();
        ASSERT_TRUE(share.known) << node.metric.name;
        EXPECT_NEAR(share.value, expected, 1e-9 * std::max(1.0, std::abs(expected))) << node.metric.name;
        EXPECT_EQ(share.low, share.value);
        EXPECT_EQ(share.high, share.value);
      }
    }
  });
}

TEST(TopdownMethod, FirstLevelAddsUp) {
  each_method([](pmu::Product product, const Method& method) {
    if (!method.is_whole() || product.name() == "c1-sme2") return;
    const Counts counts = some_counts(method, 7);
    double sum = 0;
    for (const u32 root : method.roots) sum += evaluate(method.nodes[root].metric, counts).value;
    EXPECT_NEAR(sum, 100, 1e-6);
  });
}

TEST(TopdownMethod, EveryNodeHasAPlaceAWholeAndAMeaning) {
  each_method([](pmu::Product product, const Method& method) {
    EXPECT_EQ(method.nodes.size(), product.topdown_count());
    for (const Node& node : method.nodes) {
      EXPECT_FALSE(node.of.empty());
      if (node.parent != kNone) {
        EXPECT_EQ(node.level, method.nodes[node.parent].level + 1);
      }
      EXPECT_FALSE(meaning_of(node.metric.name).empty()) << node.metric.name;
      for (const std::string_view group : node.groups) EXPECT_FALSE(meaning_of(group).empty()) << group;
    }
  });
  const Method v3 = method_of(*pmu::find_product("neoverse-v3"));
  EXPECT_EQ(v3.nodes[v3.find("backend_mem_tlb_bound")].of, "stall_backend_membound");
  EXPECT_EQ(v3.nodes[v3.find("backend_cache_l1d_bound")].of, "stall_backend_l1d + stall_backend_mem");
  EXPECT_EQ(v3.nodes[v3.find("backend_bound")].of, "slots");
  EXPECT_EQ(v3.nodes[v3.find("backend_mem_tlb_bound")].level, 3U);
}

Counts counts_for(const Step& step, const std::map<std::string, u64>& values, u64 cycles) {
  Counts counts{exactly(kCycles, cycles)};
  for (const std::string_view event : step.events) {
    const auto found = values.find(std::string(event));
    counts.push_back(exactly(event, found == values.end() ? 0 : found->second));
  }
  return counts;
}

TEST(TopdownDrill, GoesWhereTheMostIsLost) {
  const std::map<std::string, u64> values = {{"stall_slot", 8'000'000},
                                             {"stall_slot_backend", 7'000'000},
                                             {"stall_slot_frontend", 1'000'000},
                                             {"op_retired", 2'000'000},
                                             {"op_spec", 2'000'000},
                                             {"stall_backend", 700'000},
                                             {"stall_backend_membound", 600'000},
                                             {"stall_backend_cpubound", 100'000},
                                             {"stall_backend_tlb", 500'000},
                                             {"stall_backend_st", 100'000}};
  Drill drill(*pmu::find_product("neoverse-v3"), 5, {});
  ASSERT_NE(drill.step(), nullptr);
  EXPECT_TRUE(drill.fits(*drill.step()));
  EXPECT_TRUE(drill.adds_stall_slot());
  while (drill.step() != nullptr) {
    EXPECT_TRUE(drill.fits(*drill.step()));
    drill.take(counts_for(*drill.step(), values, 1'000'000));
  }
  EXPECT_LE(drill.runs(), kMostRuns);
  ASSERT_NE(drill.worst(), kNone);
  EXPECT_EQ(drill.method().nodes[drill.worst()].metric.name, "backend_mem_tlb_bound");
  EXPECT_NEAR(drill.shares()[drill.worst()].value, 100.0 * 5 / 6, 1e-9);
  EXPECT_EQ(drill.count_of("stall_backend_tlb"), 500'000U);
  // A share without counts is unknown.
  const Share& l1d = drill.shares()[drill.method().find("backend_cache_l1d_bound")];
  EXPECT_FALSE(l1d.known);
}

TEST(TopdownDrill, StopsAtRequestedLevel) {
  Drill first(*pmu::find_product("neoverse-v3"), 6, {.level = 1, .node = kNone});
  first.take(counts_for(*first.step(), {{"stall_slot_backend", 9'000'000}, {"stall_slot", 9'000'000}}, 1'000'000));
  EXPECT_EQ(first.step(), nullptr);

  const Method method = method_of(*pmu::find_product("neoverse-v3"));
  Drill chosen(*pmu::find_product("neoverse-v3"), 6, {.level = {}, .node = method.find("frontend_mem_bound")});
  while (chosen.step() != nullptr) {
    chosen.take(
        counts_for(*chosen.step(), {{"stall_slot_backend", 9'000'000}, {"stall_frontend_membound", 10}}, 1'000'000));
  }
  EXPECT_EQ(chosen.method().nodes[chosen.worst()].metric.name, "frontend_mem_bound");
}

TEST(TopdownDrill, NothingStandsOutAndNothingRan) {
  Drill busy(*pmu::find_product("neoverse-v2"), 6, {});
  busy.take(counts_for(*busy.step(), {{"op_retired", 8'000'000}, {"op_spec", 8'000'000}}, 1'000'000));
  EXPECT_EQ(busy.worst(), kNone);
  EXPECT_EQ(busy.step(), nullptr);
  Drill idle(*pmu::find_product("neoverse-v2"), 6, {});
  idle.take(counts_for(*idle.step(), {}, 0));
  EXPECT_EQ(idle.worst(), kNone);
  for (const Share& share : idle.shares()) EXPECT_FALSE(share.known);
}

TEST(TopdownDrill, MissesExplainOrDoNot) {
  const auto run = [](const std::map<std::string, u64>& values) {
    Drill drill(*pmu::find_product("neoverse-v2"), 6, {});
    while (drill.step() != nullptr) drill.take(counts_for(*drill.step(), values, 10'000'000));
    EXPECT_FALSE(drill.groups().empty());
    return std::string(drill.likely_group());
  };
  std::map<std::string, u64> values = {{"stall_slot_backend", 72'000'000}, {"stall_slot", 72'000'000},
                                       {"op_retired", 8'000'000},          {"op_spec", 8'000'000},
                                       {"inst_retired", 8'000'000},        {"l1d_cache_refill", 50'000},
                                       {"l2d_cache_refill", 50'000},       {"ll_cache_miss_rd", 49'000}};
  EXPECT_EQ(run(values), "LL_Cache_Effectiveness");
  values["dtlb_walk"] = 300'000;
  EXPECT_EQ(run(values), "DTLB_Effectiveness");
  values["dtlb_walk"] = values["ll_cache_miss_rd"] = values["l2d_cache_refill"] = values["l1d_cache_refill"] = 10;
  EXPECT_EQ(run(values), "");
}

TEST(TopdownDrill, DoesNotGoIntoWhatWasSeenTooLittle) {
  Drill drill(*pmu::find_product("neoverse-v3"), 6, {});
  Counts counts = counts_for(*drill.step(), {{"stall_slot_backend", 9'000'000}, {"stall_slot", 9'000'000}}, 1'000'000);
  for (EventCount& count : counts) count.bounded = count.name == kCycles;
  drill.take(counts);
  EXPECT_EQ(drill.worst(), kNone);
  EXPECT_EQ(drill.step(), nullptr);
  EXPECT_TRUE(drill.missed_turns());
}

TEST(TopdownDrill, MissesOfC1Cores) {
  for (const char* core : {"c1-pro", "c1-nano"}) {
    const Method method = method_of(*pmu::find_product(core));
    Drill drill(*pmu::find_product(core), 20, {.level = {}, .node = method.find("backend_cache_l2d_bound")});
    const std::map<std::string, u64> values = {{"stall_slot_backend", 9'000'000}, {"stall_slot", 9'000'000},
                                               {"stall_backend", 900'000},        {"stall_backend_membound", 900'000},
                                               {"stall_backend_mem", 900'000},    {"stall_backend_l1d", 10},
                                               {"l2d_cache_refill", 50'000},      {"l2d_cache_refill_rd", 25'000},
                                               {"l2d_cache_refill_wr", 25'000},   {"inst_retired", 1'000'000}};
    while (drill.step() != nullptr) drill.take(counts_for(*drill.step(), values, 1'000'000));
    EXPECT_EQ(drill.likely_group(), "L2D_Cache_Effectiveness") << core;
  }
}

TEST(TopdownDrill, WhatIsNoMissIsShownWholeAndRankedByNothing) {
  const Method method = method_of(*pmu::find_product("neoverse-v3"));
  Drill drill(*pmu::find_product("neoverse-v3"), 6, {.level = {}, .node = method.find("retiring")});
  while (drill.step() != nullptr) drill.take(counts_for(*drill.step(), {{"op_retired", 10}}, 1'000'000));
  ASSERT_EQ(drill.groups().size(), 1U);
  EXPECT_GT(drill.groups()[0].metrics.size(), 3U);
  EXPECT_FALSE(drill.groups()[0].likely_cycles.has_value());
}

TEST(TopdownShare, AnIntervalIsAsWideAsItsEventsMakeIt) {
  const pmu::Metric metric{.name = "m",
                           .title = {},
                           .description = {},
                           .formula = "a / b * 100",
                           .postfix = "a b / 100 *",
                           .unit = {},
                           .events = "a,b"};
  const Counts counts = {{.name = "a", .value = 50, .low = 47, .high = 53}, exactly("b", 100)};
  const Share share = evaluate(metric, counts);
  EXPECT_NEAR(share.value, 50, 1e-9);
  EXPECT_NEAR(share.low, 47, 1e-9);
  EXPECT_NEAR(share.high, 53, 1e-9);
  EXPECT_FALSE(evaluate(metric, Counts{exactly("a", 1)}).known);
  EXPECT_FALSE(evaluate(metric, Counts{exactly("a", 1), exactly("b", 0)}).known);
  // If one of its events was counted for too short a time, the value has no interval.
  Counts unsure = counts;
  unsure[0].bounded = false;
  EXPECT_TRUE(evaluate(metric, unsure).known);
  EXPECT_FALSE(evaluate(metric, unsure).is_sure());
  Counts missed = counts;
  missed[0].counted = false;
  EXPECT_FALSE(evaluate(metric, missed).known);
}

}  // namespace
}  // namespace wperf::topdown
