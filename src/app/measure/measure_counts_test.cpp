// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/measure_counts.h"

#include <gtest/gtest.h>

namespace wperf::measure {
namespace {

TEST(CounterTrace, EachCounterOfEachUnitIsOneEvent) {
  answers::CountProfile profile;
  answers::CountRow cycles{.name = "cycle", .code = {}, .note = "e", .value = 7};
  answers::CountRow loads{.name = "ld_spec", .code = 0x70, .note = "g0", .value = 42};
  profile.classes[0].units = {{.number = 3, .cores = {}, .rows = {cycles, loads}},
                              {.number = 5, .cores = {}, .rows = {cycles}}};
  profile.classes[1].units = {{.number = 1, .cores = {}, .rows = {loads}}};
  std::vector<os::CounterEvent> events;
  for_each_counter(profile, [&](const os::CounterEvent& event) { events.push_back(event); });
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].core, 3u);
  EXPECT_EQ(events[0].event, "cycle");
  EXPECT_EQ(events[0].index, os::kFixedCycleIndex);
  EXPECT_EQ(events[1].index, 0x70u);
  EXPECT_EQ(events[1].note, "g0");
  EXPECT_EQ(events[1].value, 42u);
  EXPECT_EQ(events[2].core, 5u);
  EXPECT_EQ(events[3].core, 1u);
}

}  // namespace
}  // namespace wperf::measure
