// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/spe_counts.h"

#include <gtest/gtest.h>

#include "app/measure/count_profile_builder.h"
#include "views/report/count_report.h"

namespace wperf::measure {
namespace {

readings::UnitCounts unit_of(u32 core, u64 first) {
  readings::UnitCounts unit{.event_class = EventClass::core,
                            .unit = core,
                            .multiplexed = true,
                            .rounds = 9,
                            .enabled_ns = 9000,
                            .cycles = first * 100,
                            .cycle_source = readings::CycleSource::shared,
                            .losses = 1,
                            .lost_ns = 77,
                            .entries = {}};
  for (u64 i = 0; i < 4; ++i) {
    unit.entries.push_back({.value = first + i,
                            .slots = 5,
                            .running_ns = 5000,
                            .running_cycles = first * 50,
                            .full_slots = 4,
                            .full_value = first + i - 1,
                            .squares_low = first * first});
  }
  return unit;
}

TEST(Population, IsTheSameOutOfARecording) {
  plan::SpePlan spe;
  spe.cores = {1, 4};
  spe.kernel = true;
  plan::Capabilities machine;
  machine.counters_free[index_of(EventClass::core)] = 3;
  machine.vendor = "Somebody";
  const plan::CountPlan plan = population_plan(spe, machine);
  const readings::CountCapture capture{.start_ns = 5, .end_ns = 2'000'005, .units = {unit_of(1, 1000), unit_of(4, 50)}};
  const answers::CountProfile counted = build_count_profile(plan, machine, {}, capture);
  const answers::CountProfile again = counted_profile(counted_facts(plan, machine, capture));
  EXPECT_EQ(report::count_text(again, {.verbose = true}), report::count_text(counted, {.verbose = true}));
  EXPECT_EQ(report::count_json(again), report::count_json(counted));
  EXPECT_EQ(population_of(again).chosen, population_of(counted).chosen);
  EXPECT_GT(population_of(again).chosen, 1000u);
  const std::vector<u64> recorded = recorded_of_cores(again, {{.core = 2}, {.core = 4}});
  EXPECT_EQ(recorded[0], 0u);
  EXPECT_GT(recorded[1], 50u);
}

TEST(Population, NumbersWithoutSenseMakeTablesToo) {
  perf_data::CountedFacts counted;
  counted.cores = ~u32{0};
  counted.counters = 1;
  counted.end_ns = ~u64{0};
  counted.units = {{}, {1}, std::vector<u64>(1000, ~u64{0}), {3, 1, 2, 3, 4, 9, 6, 7, 1, 2}};
  const answers::CountProfile counting = counted_profile(counted);
  EXPECT_EQ(counting.classes[0].units.size(), 4u);
  EXPECT_FALSE(report::count_text(counting, {}).empty());
}

}  // namespace
}  // namespace wperf::measure
