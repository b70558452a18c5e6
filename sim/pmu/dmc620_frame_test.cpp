// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/dmc620_frame.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

using namespace driver::dmc620;

u32 enabled(u32 event) {
  return control_of_event(event) | kControlEnable;
}

TEST(Dmc620Frame, EveryCounterCountsItsKindOfEvent) {
  Dmc620Frame frame;
  DmcInput now{{1 << 20, 1 << 20}, 5000};
  for (u32 counter = 0; counter < kCounters; ++counter)
    frame.write32(counter_register(counter, kControl), enabled(counter < kFirstClkCounter ? 0x12 : 0x01), now);
  now.traffic.bytes_read += 4096;
  now.traffic.bytes_written += 128;
  for (u32 counter = 0; counter < kCounters; ++counter)
    EXPECT_EQ(frame.read32(counter_register(counter, kValue), now), counter < kFirstClkCounter ? 33u : 66u) << counter;
}

TEST(Dmc620Frame, CycleCountsFollowTheTwoClocks) {
  Dmc620Frame frame;
  DmcInput now{{}, 123};
  frame.write32(counter_register(0, kControl), enabled(0), now);
  frame.write32(counter_register(8, kControl), enabled(0), now);
  now.now_ns += 1'000'000;
  EXPECT_EQ(frame.read32(counter_register(0, kValue), now), 800'000u);
  EXPECT_EQ(frame.read32(counter_register(8, kValue), now), 1'600'000u);
}

TEST(Dmc620Frame, StopsWhenDisabledAndKeepsTheValue) {
  Dmc620Frame frame;
  DmcInput now;
  frame.write32(counter_register(3, kControl), enabled(0x12), now);
  now.traffic.bytes_read += 256;
  frame.write32(counter_register(3, kControl), control_of_event(0x12), now);
  now.traffic.bytes_read += 2560;
  EXPECT_EQ(frame.read32(counter_register(3, kValue), now), 2u);
  frame.write32(counter_register(3, kValue), 0, now);
  frame.write32(counter_register(3, kControl), enabled(0x12), now);
  now.traffic.bytes_written += 128;
  EXPECT_EQ(frame.read32(counter_register(3, kValue), now), 1u);
}

TEST(Dmc620Frame, OverflowFlagsOfBothKinds) {
  Dmc620Frame frame;
  DmcInput now;
  for (u32 counter : {2u, 9u}) {
    frame.write32(counter_register(counter, kValue), 0xffffffff, now);
    frame.write32(counter_register(counter, kControl), enabled(0), now);
  }
  now.now_ns += 1000;
  EXPECT_EQ(frame.read32(kOverflowStatusClkdiv2, now), 1u << 2);
  EXPECT_EQ(frame.read32(kOverflowStatusClk, now), 1u << 1);
  frame.write32(kOverflowStatusClkdiv2, 0, now);
  EXPECT_EQ(frame.read32(kOverflowStatusClkdiv2, now), 0u);
  EXPECT_EQ(frame.read32(kOverflowStatusClk, now), 1u << 1);
}

TEST(Dmc620Frame, OtherOffsetsReadZero) {
  Dmc620Frame frame;
  const DmcInput now;
  for (const u64 offset : {u64{0}, u64{0x9fc}, counter_register(kCounters, kControl), u64{0xffc}}) {
    frame.write32(offset, 0xffffffff, now);
    EXPECT_EQ(frame.read32(offset, now), 0u) << offset;
  }
  frame.write32(counter_register(0, kMatchHigh), 0x55, now);
  EXPECT_EQ(frame.read32(counter_register(0, kMatchHigh), now), 0x55u);
  frame.write32(counter_register(0, kControl), 0xffffffff, now);
  EXPECT_EQ(frame.read32(counter_register(0, kControl), now), 0x1ffu);
}

}  // namespace
}  // namespace wperf::sim
