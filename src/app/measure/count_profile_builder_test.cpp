// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/count_profile_builder.h"

#include <gtest/gtest.h>

#include "machine/pmu/core_metrics.h"

namespace wperf::measure {
namespace {

plan::Entry entry(std::string name, u16 code, std::string metric = {}, std::optional<u32> group = {}) {
  plan::Entry made;
  made.name = std::move(name);
  made.code = code;
  made.metric = std::move(metric);
  made.group = group;
  return made;
}

readings::UnitCounts unit(EventClass event_class, u32 number, const std::vector<u64>& values) {
  readings::UnitCounts made;
  made.event_class = event_class;
  made.unit = number;
  made.rounds = 1;
  made.enabled_ns = 1000;
  made.cycles = 100 + number;
  for (const u64 value : values) made.entries.push_back({.value = value, .slots = 1, .running_ns = 1000});
  return made;
}

TEST(CountProfileBuilder, PaddingIsDroppedAndCoresAreSummed) {
  plan::CountPlan plan;
  plan.cores = {0, 2};
  plan::Entry padding = entry("", plan::kPaddingEvent);
  padding.padding = true;
  plan.schedules[0] = {.entries = {entry("ld_spec", 0x70), padding, entry("st_spec", 0x71)}, .counters = 6};
  readings::CountCapture capture;
  capture.end_ns = 1'234'567'890;
  capture.units = {unit(EventClass::core, 0, {1, 99, 2}), unit(EventClass::core, 2, {10, 99, 20})};
  const auto profile = build_count_profile(plan, {}, {}, capture);
  const auto& core = profile.classes[0];
  ASSERT_EQ(core.units.size(), 2u);
  ASSERT_EQ(core.units[1].rows.size(), 3u);
  EXPECT_EQ(core.units[1].rows[0].name, "cycle");
  EXPECT_EQ(core.units[1].rows[0].value, 102u);
  EXPECT_EQ(core.units[1].rows[2].name, "st_spec");
  EXPECT_EQ(core.overall[1].value, 11u);
  EXPECT_EQ(core.overall[2].value, 22u);
  EXPECT_DOUBLE_EQ(profile.elapsed_seconds, 1.234);
}

TEST(CountProfileBuilder, LessThanAMillisecondIsNotZero) {
  readings::CountCapture capture;
  capture.end_ns = 758'862;
  EXPECT_DOUBLE_EQ(build_count_profile({}, {}, {}, capture).elapsed_seconds, 0.000758862);
  capture.end_ns = 1'758'862;
  EXPECT_DOUBLE_EQ(build_count_profile({}, {}, {}, capture).elapsed_seconds, 0.001) << "as WindowsPerf prints it";
}

TEST(CountProfileBuilder, NamesCycleSourceAndMissingEvents) {
  using Source = readings::CycleSource;
  using Row = answers::CycleRow;
  const std::tuple<Source, bool, Row> cases[] = {{Source::counted, false, Row::as_events},
                                                 {Source::shared, false, Row::with_kernel},
                                                 {Source::shared, true, Row::as_events},
                                                 {Source::none, true, Row::uncounted}};
  for (const auto& [source, kernel, row] : cases) {
    plan::CountPlan plan;
    plan.cores = {0};
    plan.kernel = kernel;
    plan.schedules[0] = {.entries = {entry("ld_spec", 0x70)}, .counters = 1};
    readings::CountCapture capture;
    capture.units = {unit(EventClass::core, 0, {1})};
    capture.units[0].cycle_source = source;
    capture.units[0].losses = 2;
    capture.units[0].lost_ns = 250'000'000;
    const auto profile = build_count_profile(plan, {}, {}, capture);
    const answers::CountUnit& core = profile.classes[0].units.at(0);
    EXPECT_EQ(core.cycle_row, row);
    EXPECT_EQ(core.losses, 2u);
    EXPECT_DOUBLE_EQ(core.lost_seconds, 0.25);
  }
}

TEST(CountProfileBuilder, L3AndMemoryMetrics) {
  plan::CountPlan plan;
  plan.cores = {0, 1};
  plan.schedules[WPERF_CLASS_DSU] = {
      .entries = {entry("l3d_cache", 0x2b, "l3_cache"), entry("l3d_cache_refill", 0x2a, "l3_cache")}, .counters = 6};
  plan.schedules[WPERF_CLASS_DMC_CLKDIV2] = {.entries = {entry("rdwr", 0x12, "ddr_bw")}, .counters = 8};
  plan::Capabilities machine;
  machine.core_count = 4;
  machine.cluster_size = 2;
  readings::CountCapture capture;
  capture.units = {unit(EventClass::dsu, 0, {1 << 20, 1 << 18}), unit(EventClass::dmc_clkdiv2, 0, {1'000'000}),
                   unit(EventClass::dmc_clkdiv2, 1, {500'000})};
  const auto profile = build_count_profile(plan, machine, {}, capture);
  ASSERT_EQ(profile.l3.size(), 2u);
  EXPECT_EQ(profile.l3[0].cores, (std::vector<u32>{0, 1}));
  EXPECT_DOUBLE_EQ(profile.l3[0].bandwidth_mb, 64.0);
  EXPECT_DOUBLE_EQ(profile.l3[0].miss_percent, 25.0);
  EXPECT_FALSE(profile.l3[1].cluster.has_value());
  ASSERT_EQ(profile.ddr.size(), 3u);
  EXPECT_DOUBLE_EQ(profile.ddr[2].bandwidth_mb, 192.0);
}

TEST(CountProfileBuilder, AMetricIsEvaluatedOncePerGroupAndCore) {
  plan::EventCatalog catalog;
  plan::MetricDefinition definition;
  definition.name = "ipc";
  definition.solution = pmu::Metric{.name = "ipc",
                                    .title = {},
                                    .description = {},
                                    .formula = {},
                                    .postfix = "inst_retired cpu_cycles /",
                                    .unit = "per cycle",
                                    .events = {}};
  catalog.metrics.push_back(definition);
  plan::CountPlan plan;
  plan.cores = {3};
  plan.schedules[0] = {.entries = {entry("cpu_cycles", 0x11, "ipc", 0), entry("inst_retired", 8, "ipc", 0),
                                   entry("cpu_cycles", 0x11, "ipc", 1), entry("inst_retired", 8, "ipc", 1)},
                       .counters = 6};
  readings::CountCapture capture;
  capture.units = {unit(EventClass::core, 3, {100, 250, 0, 5})};
  plan::Capabilities machine;
  machine.midr = 0x413fd0c1;  // Neoverse N1
  const auto profile = build_count_profile(plan, machine, catalog, capture);
  ASSERT_EQ(profile.metrics.size(), 2u);
  EXPECT_DOUBLE_EQ(profile.metrics[0].value, 2.5);
  EXPECT_DOUBLE_EQ(profile.metrics[1].value, 0);  // division by zero
  EXPECT_EQ(profile.metrics[0].core, 3u);
}

TEST(CountProfileBuilder, WithoutATurnNothingIsCounted) {
  plan::EventCatalog catalog;
  plan::MetricDefinition definition;
  definition.name = "ipc";
  definition.solution = pmu::Metric{.name = "ipc",
                                    .title = {},
                                    .description = {},
                                    .formula = {},
                                    .postfix = "inst_retired cpu_cycles /",
                                    .unit = "per cycle",
                                    .events = {}};
  catalog.metrics.push_back(definition);
  plan::CountPlan plan;
  plan.cores = {0, 1};
  plan.schedules[0] = {
      .entries = {entry("cpu_cycles", 0x11, "ipc", 0), entry("inst_retired", 8, "ipc", 0), entry("ld_spec", 0x70)},
      .counters = 2};
  plan.schedules[WPERF_CLASS_DSU] = {
      .entries = {entry("l3d_cache", 0x2b, "l3_cache"), entry("l3d_cache_refill", 0x2a, "l3_cache")}, .counters = 1};
  plan.schedules[WPERF_CLASS_DMC_CLKDIV2] = {.entries = {entry("rdwr", 0x12, "ddr_bw")}, .counters = 1};
  readings::CountCapture capture;
  capture.units = {unit(EventClass::core, 0, {100, 250, 7}), unit(EventClass::core, 1, {0, 0, 7}),
                   unit(EventClass::dsu, 0, {10, 0}), unit(EventClass::dmc_clkdiv2, 0, {0})};
  const auto lose_turn = [](readings::UnitCounts& lost, size_t i) {
    lost.multiplexed = true;
    lost.entries[i].slots = lost.entries[i].running_ns = 0;
  };
  lose_turn(capture.units[1], 0);
  lose_turn(capture.units[1], 1);
  lose_turn(capture.units[2], 1);
  lose_turn(capture.units[3], 0);
  plan::Capabilities machine;
  machine.midr = 0x413fd0c1;  // Neoverse N1
  const auto profile = build_count_profile(plan, machine, catalog, capture);
  ASSERT_EQ(profile.metrics.size(), 2u);
  EXPECT_TRUE(profile.metrics[0].counted);
  EXPECT_FALSE(profile.metrics[1].counted) << "core 1";
  const auto& core = profile.classes[0];
  EXPECT_TRUE(core.units[0].rows[1].counted());
  EXPECT_FALSE(core.units[1].rows[1].counted());
  EXPECT_FALSE(core.overall[1].counted()) << "core 1 is missing in the sum";
  EXPECT_TRUE(core.overall[3].counted());
  ASSERT_EQ(profile.l3.size(), 2u);
  EXPECT_FALSE(profile.l3[0].counted);
  EXPECT_FALSE(profile.l3[1].counted);
  ASSERT_EQ(profile.ddr.size(), 2u);
  EXPECT_FALSE(profile.ddr[0].counted);
  EXPECT_FALSE(profile.ddr[1].counted);
}

plan::Entry counted(std::string name, u16 code) {
  return entry(std::move(name), code, "frontend_bound", 0);
}

TEST(CountProfileBuilder, EachKindOfCoresHasItsOwnFormula) {
  constexpr u64 kNeoverseV1 = 0x411fd401, kNeoverseN2 = 0x410fd490, kCortexX1C = 0x410fd4c0;
  plan::Capabilities machine;
  machine.midr = kNeoverseV1;
  machine.core_count = 3;
  machine.core_midr = {kNeoverseV1, kNeoverseN2, kCortexX1C};
  machine.counters_total = machine.counters_free = {6, 0, 0, 0};
  const plan::EventCatalog catalog = plan::make_event_catalog(machine, {}, {}).value();
  const auto of_v1 = pmu::find_product("neoverse-v1")->find_metric("frontend_bound");
  const auto of_n2 = pmu::find_product("neoverse-n2")->find_metric("frontend_bound");
  ASSERT_TRUE(of_v1.has_value() && of_n2.has_value());
  ASSERT_NE(of_v1->postfix, of_n2->postfix) << "no test: they have another number of slots";
  plan::CountPlan plan;
  plan.cores = {0, 1, 2};
  plan.schedules[0] = {
      .entries = {counted("br_mis_pred", 0x10), counted("cpu_cycles", 0x11), counted("stall_slot_frontend", 0x3e)},
      .counters = 6};
  readings::CountCapture capture;
  for (u32 core = 0; core < 3; ++core) capture.units.push_back(unit(EventClass::core, core, {10, 1000, 9000}));
  const std::vector<pmu::NamedCount> counts = {
      {"br_mis_pred", 10}, {"cpu_cycles", 1000}, {"stall_slot_frontend", 9000}};
  auto profile = build_count_profile(plan, machine, catalog, capture);
  ASSERT_EQ(profile.metrics.size(), 3u);
  EXPECT_EQ(profile.metrics[0].product, "neoverse-v1");
  EXPECT_DOUBLE_EQ(profile.metrics[0].value, pmu::evaluate_postfix(of_v1->postfix, counts));
  EXPECT_EQ(profile.metrics[1].product, "neoverse-n2");
  EXPECT_DOUBLE_EQ(profile.metrics[1].value, pmu::evaluate_postfix(of_n2->postfix, counts));
  EXPECT_TRUE(profile.metrics[1].counted);
  EXPECT_FALSE(profile.metrics[2].counted) << "a core that knows no slots";

  // A program may have run on any of these cores.
  machine.core_midr = {kNeoverseV1, kNeoverseN2, kNeoverseN2};
  plan.of_program = true;
  capture.units.resize(1);
  profile = build_count_profile(plan, machine, catalog, capture);
  ASSERT_EQ(profile.metrics.size(), 1u);
  EXPECT_FALSE(profile.metrics[0].counted);
  machine.core_midr = {kNeoverseV1, kNeoverseV1, kNeoverseV1};
  EXPECT_TRUE(build_count_profile(plan, machine, catalog, capture).metrics.at(0).counted);
}

class NoWords final : public plan::KernelEvents {
 public:
  diag::Result<std::optional<plan::KernelEvent>> find(std::string_view) const override {
    return std::optional<plan::KernelEvent>{};
  }
  bool counts_catalogue() const override { return false; }
  bool has_counters() const override { return false; }
  std::string why_no_cycles() const override { return {}; }
  std::optional<bool> counts_code(u16 code) const override { return code == 8; }
  std::vector<Word> words(bool) const override { return {}; }
};

TEST(CountProfileBuilder, UnsupportedEventHasNoCount) {
  plan::Capabilities machine;
  machine.kernel = std::make_shared<NoWords>();
  plan::CountPlan plan;
  plan.cores = {0};
  plan::Entry faults = entry("page-faults", 2);
  faults.kernel_event.emplace();
  plan.schedules[0] = {.entries = {entry("inst_retired", 8), entry("ld_retired", 6), faults}, .counters = 3};
  readings::CountCapture capture;
  capture.units.emplace_back().entries.resize(3);
  EXPECT_EQ(
      build_count_profile(plan, machine, {}, capture).remarks,
      std::vector<std::string>{"ld_retired counted 0: the PMU of these cores does not have this event (`wperf list`)"});
  capture.units[0].entries[1].value = 1;
  EXPECT_TRUE(build_count_profile(plan, machine, {}, capture).remarks.empty());
}

TEST(CountProfileBuilder, AProgramCountedByTheKernel) {
  plan::Capabilities machine;
  machine.kernel = std::make_shared<NoWords>();
  machine.cycle_counters = 0;
  machine.vendor = "GenuineIntel";
  plan::CountPlan plan;
  plan.cores = {0};
  plan.of_program = true;
  plan.process = 4711;
  plan.schedules[0] = {.entries = {entry("cache-misses", 3), entry("page-faults", 2)}, .counters = 2};
  readings::CountCapture capture;
  readings::UnitCounts& unit = capture.units.emplace_back();
  unit.multiplexed = true;
  unit.entries.push_back({.value = 100, .running_ns = 25'000'000, .enabled_ns = 100'000'000});
  unit.entries.push_back({.value = 7, .running_ns = 100'000'000, .enabled_ns = 100'000'000});
  const auto profile = build_count_profile(plan, machine, {}, capture);
  EXPECT_EQ(profile.process, 4711u);
  EXPECT_EQ(profile.vendor, "GenuineIntel");
  EXPECT_TRUE(profile.classes[0].multiplexed) << "though the schedule has a counter for each";
  const auto& rows = profile.classes[0].units.at(0).rows;
  ASSERT_EQ(rows.size(), 2u) << "no row of cycles where nothing counts them";
  EXPECT_EQ(rows[0].scaled, 400u);
  EXPECT_EQ(rows[0].slots, 25u) << "milliseconds";
  EXPECT_EQ(rows[0].rounds, 100u);
  EXPECT_EQ(rows[1].scaled, 7u);
  EXPECT_TRUE(profile.by_kernel);
  capture.units[0].entries[0].refused = true;
  EXPECT_EQ(build_count_profile(plan, machine, {}, capture).classes[0].units.at(0).rows.at(0).name, "page-faults");
  plan.of_program = false;
  EXPECT_FALSE(build_count_profile(plan, machine, {}, capture).process.has_value());
}

// A kernel also multiplexes the cycle counter. Here there is one instruction per cycle.
TEST(CountProfileBuilder, CyclesThatTookTurnsAreScaledAsTheEventsAre) {
  plan::Capabilities machine;
  machine.kernel = std::make_shared<NoWords>();
  plan::CountPlan plan;
  plan.cores = {0};
  plan.of_program = true;
  plan.schedules[0] = {.entries = {entry("inst_retired", 8)}, .counters = 1};
  readings::CountCapture capture;
  readings::UnitCounts& unit = capture.units.emplace_back();
  unit.multiplexed = true;
  unit.cycles = 70'000'000;
  unit.cycles_running_ns = 70'000'000;
  unit.cycles_enabled_ns = 100'000'000;
  unit.entries.push_back({.value = 60'000'000, .running_ns = 60'000'000, .enabled_ns = 100'000'000});
  auto rows = build_count_profile(plan, machine, {}, capture).classes[0].units.at(0).rows;
  EXPECT_EQ(rows.at(0).name, "cycle");
  EXPECT_EQ(rows.at(0).value, 70'000'000u);
  EXPECT_EQ(rows.at(0).scaled, 100'000'000u);
  EXPECT_EQ(rows.at(0).slots, 70u) << "milliseconds";
  EXPECT_EQ(rows.at(0).rounds, 100u);
  EXPECT_EQ(rows.at(1).scaled, rows.at(0).scaled);
  capture.units[0].cycles = capture.units[0].cycles_running_ns = 0;
  rows = build_count_profile(plan, machine, {}, capture).classes[0].units.at(0).rows;
  EXPECT_FALSE(rows.at(0).counted()) << "its turn never came";
  EXPECT_TRUE(rows.at(1).counted());
}

}  // namespace
}  // namespace wperf::measure
