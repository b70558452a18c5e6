// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace wperf::capi {
namespace {

answers::CountProfile one_core(u32 core, u64 value) {
  answers::CountProfile profile;
  answers::CountRow cycles;
  cycles.name = "cycle";
  cycles.note = "e";
  cycles.value = value;
  answers::CountRow loads = cycles;
  loads.name = "ld_spec";
  loads.code = 0x70;
  loads.slots = 3;
  loads.rounds = 9;
  loads.scaled = 3 * value;
  profile.classes[index_of(EventClass::core)].units.push_back({.number = core, .cores = {}, .rows = {cycles, loads}});
  profile.classes[index_of(EventClass::dsu)].units.push_back({.number = 0, .cores = {0, 1}, .rows = {cycles}});
  profile.metrics.push_back({.core = core, .product = "p", .metric = "m", .unit = "u", .value = 0.5});
  profile.elapsed_seconds = 2;
  return profile;
}

TEST(StatRows, HoldTheCoresOfEachCount) {
  const answers::CountProfile counts[] = {one_core(4, 100), one_core(4, 200)};
  Rows<STAT_INFO> rows = stat_rows(counts);
  ASSERT_EQ(rows.size(), 4u);
  STAT_INFO row{};
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.event_idx, WPERF_CYCLE_COUNTER);
  EXPECT_EQ(row.counter_value, 100u);
  ASSERT_TRUE(rows.next(row));
  EXPECT_STREQ(row.event_name, L"ld_spec");
  EXPECT_STREQ(row.event_note, L"e");
  EXPECT_EQ(row.event_idx, 0x70);
  EXPECT_EQ(row.core_idx, 4u);
  EXPECT_EQ(row.scheduled, 3u);
  EXPECT_EQ(row.round, 9u);
  EXPECT_EQ(row.scaled_value, 300u);
  EXPECT_EQ(row.elapsed_seconds, 2);
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.count_idx, 1u);
  ASSERT_TRUE(rows.next(row));
  EXPECT_FALSE(rows.next(row));
}

TEST(StatRows, LessThanAMillisecondOfAKernelIsNotNever) {
  answers::CountProfile counts[] = {one_core(4, 100)};
  counts[0].by_kernel = true;
  std::vector<answers::CountRow>& counted = counts[0].classes[index_of(EventClass::core)].units[0].rows;
  counted[0].slots = counted[0].rounds = 0;
  counted[1].slots = 0;
  counted[1].fraction = 0;
  Rows<STAT_INFO> rows = stat_rows(counts);
  STAT_INFO row{};
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.scheduled, 1u);
  EXPECT_EQ(row.round, 1u);
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.scheduled, 0u);
  EXPECT_EQ(row.round, 9u);
}

TEST(StatRows, MetricsHaveRowsOfTheirOwn) {
  const answers::CountProfile counts[] = {one_core(4, 100)};
  Rows<STAT_METRIC_INFO> rows = stat_metric_rows(counts);
  STAT_METRIC_INFO row{};
  ASSERT_TRUE(rows.next(row));
  EXPECT_STREQ(row.metric_name, L"m");
  EXPECT_STREQ(row.unit, L"u");
  EXPECT_EQ(row.value, 0.5);
  EXPECT_EQ(row.core_idx, 4u);
  EXPECT_FALSE(rows.next(row));
}

TEST(StatRows, AMetricThatWasNotCountedIsNoNumber) {
  answers::CountProfile counts[] = {one_core(4, 100)};
  counts[0].metrics[0].counted = false;
  Rows<STAT_METRIC_INFO> rows = stat_metric_rows(counts);
  STAT_METRIC_INFO row{};
  ASSERT_TRUE(rows.next(row));
  EXPECT_TRUE(std::isnan(row.value));
}

class SomeKernel final : public plan::KernelEvents {
 public:
  explicit SomeKernel(bool is_arm) : is_arm_(is_arm) {}
  diag::Result<std::optional<plan::KernelEvent>> find(std::string_view) const override {
    return std::optional<plan::KernelEvent>();
  }
  bool counts_catalogue() const override { return is_arm_; }
  bool has_counters() const override { return true; }
  std::string why_no_cycles() const override { return {}; }
  std::optional<bool> counts_code(u16 code) const override { return code == 0x08; }
  std::vector<Word> words(bool) const override { return {{"page-faults", "[software]"}}; }

 private:
  bool is_arm_;
};

std::vector<std::wstring> listed(bool is_arm, u32 types) {
  plan::EventCatalog catalog;
  catalog.product = pmu::product_at(0);
  const SomeKernel kernel(is_arm);
  Rows<EVENT_INFO> rows = event_rows(catalog, &kernel, types);
  std::vector<std::wstring> names;
  for (EVENT_INFO row{}; rows.next(row);) {
    names.emplace_back(row.name);
    EXPECT_EQ(row.type, names.back() == L"inst_retired" ? WPERF_CORE_EVENT : WPERF_SYSTEM_EVENT);
    EXPECT_TRUE(row.type == WPERF_CORE_EVENT || std::wstring(row.desc) == L"software");
  }
  return names;
}

TEST(EventRows, AreWhatAKernelCounts) {
  using Names = std::vector<std::wstring>;
  EXPECT_EQ(listed(true, WPERF_LIST_CORE_EVENTS), Names{L"inst_retired"});
  EXPECT_EQ(listed(true, WPERF_LIST_CORE_EVENTS | WPERF_LIST_SYSTEM_EVENTS), (Names{L"inst_retired", L"page-faults"}));
  EXPECT_EQ(listed(false, WPERF_LIST_CORE_EVENTS), Names{}) << "the catalogue is Arm's";
  EXPECT_EQ(listed(false, WPERF_LIST_SYSTEM_EVENTS), Names{L"page-faults"});
}

compat::CompatView two_functions() {
  compat::CompatView view;
  view.run.target.modules.resize(2);
  view.run.target.modules[0].main = true;
  view.run.target.modules[1].name = "b.dll";
  view.symbols = {{.kind = compat::SymbolKind::function, .name = "hot", .module = 0},
                  {.kind = compat::SymbolKind::function, .name = "cool", .module = 1}};
  view.files = {{.path = "a.c", .text = {}}};
  compat::SampledEvent event;
  event.name = "ld_spec";
  event.interval = 1000;
  event.samples = 4;
  compat::SymbolRow hot;
  hot.symbol = 0;
  hot.count = 3;
  hot.lines.resize(1);
  hot.lines[0].file = 0;
  hot.lines[0].line = 17;
  hot.lines[0].hits = 2;
  compat::SymbolRow cool;
  cool.symbol = 1;
  cool.count = 1;
  event.rows = {hot, cool};
  view.events = {event};
  return view;
}

TEST(SampleRows, AreTheFunctionsHottestFirst) {
  Rows<SampleRow> rows = sample_rows(two_functions(), {});
  SampleRow row{};
  ASSERT_TRUE(rows.next(row));
  EXPECT_STREQ(row.event, L"ld_spec");
  EXPECT_STREQ(row.symbol, L"hot");
  EXPECT_EQ(row.interval, 1000u);
  EXPECT_EQ(row.count, 3u);
  EXPECT_EQ(row.overhead, 75);
  ASSERT_TRUE(rows.next(row));
  EXPECT_STREQ(row.symbol, L"cool:b.dll");
  EXPECT_FALSE(rows.next(row));
}

TEST(SampleRows, AreAsManyAsWantedAndOfTheWantedName) {
  EXPECT_EQ(sample_rows(two_functions(), {.most_functions = 1, .symbol = {}}).size(), 1u);
  Rows<SampleRow> rows = sample_rows(two_functions(), {.symbol = [](std::string_view name) { return name == "cool"; }});
  SampleRow row{};
  ASSERT_TRUE(rows.next(row));
  EXPECT_STREQ(row.symbol, L"cool:b.dll");
  EXPECT_EQ(row.overhead, 25);  // percent of all samples
}

TEST(AnnotateRows, AreTheLinesOfTheFunctions) {
  Rows<LineRow> rows = annotate_rows(two_functions(), {});
  ASSERT_EQ(rows.size(), 1u);
  LineRow row{};
  ASSERT_TRUE(rows.next(row));
  EXPECT_STREQ(row.symbol, L"hot");
  EXPECT_STREQ(row.source_file, L"a.c");
  EXPECT_EQ(row.line_number, 17u);
  EXPECT_EQ(row.hits, 2u);
}

TEST(TestRows, TellNumbersFromTextThatLooksLikeThem) {
  answers::TestReport report;
  report.midr = 0x413fd0c1;
  report.core_count = 8;
  report.device_id = "0815";
  Rows<TEST_INFO> rows = test_rows(pmu::identify(report.midr), report);
  TEST_INFO row{};
  int seen = 0;
  while (rows.next(row)) {
    const std::wstring name = row.name;
    if (name == L"PMU_CTL_QUERY_HW_CFG [core_num]") {
      EXPECT_EQ(row.type, WPERF_TEST_NUMBER);
      EXPECT_EQ(row.num_result, 8u);
      EXPECT_STREQ(row.result, L"0x0008");
    } else if (name == L"PMU_CTL_QUERY_HW_CFG [device_id_str]") {
      EXPECT_EQ(row.type, WPERF_TEST_TEXT);
      EXPECT_STREQ(row.result, L"0815");
    } else if (name == L"request.ioctl_events [EVT_CORE]") {
      EXPECT_EQ(row.type, WPERF_TEST_BOOL);
      EXPECT_FALSE(row.bool_result);
    } else {
      continue;
    }
    ++seen;
  }
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace wperf::capi
