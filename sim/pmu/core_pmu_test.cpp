// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/core_pmu.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

using driver::event_counter;
using driver::event_type;
using driver::Register;

constexpr u64 kInstRetired = 0x08;
constexpr u64 kCycles = 0x11;
constexpr u64 kChain = 0x1e;
constexpr u32 kV3p1 = 4, kV3p5 = 6;

class CorePmuTest : public testing::Test {
 protected:
  void make(u32 version, u32 counters = 6) { pmu_ = CorePmu(PmuConfig{0x414fd0c1, counters, version, 1}); }
  u64 read(Register reg) { return pmu_.read(reg, now_); }
  void write(Register reg, u64 value) { pmu_.write(reg, value, now_); }
  void retire(u64 count, Level level = Level::user) { now_(level, Signal::inst_retired) += count; }
  void pass(u64 count, Level level = Level::user) { now_(level, Signal::cycles) += count; }
  void count_on(u32 counter, u64 type) {
    write(event_type(counter), type);
    write(Register::pmcntenset, u64{1} << counter);
    write(Register::pmcr, kPmcrEnable | kPmcrLongCycles);
  }

  CorePmu pmu_{PmuConfig{0x414fd0c1, 6, kV3p1, 1}};
  SignalCounts now_;
};

TEST_F(CorePmuTest, CountsOnlyWhatPassesWhileEnabled) {
  retire(1000);
  write(event_type(0), kInstRetired);
  retire(10);
  write(Register::pmcntenset, 1);
  retire(20);  // PMCR.E is still off
  EXPECT_EQ(read(event_counter(0)), 0u);
  write(Register::pmcr, kPmcrEnable);
  retire(30);
  EXPECT_EQ(read(event_counter(0)), 30u);
  write(Register::pmcntenclr, 1);
  retire(40);
  EXPECT_EQ(read(event_counter(0)), 30u);
  write(Register::pmcntenset, 1);
  retire(5);
  EXPECT_EQ(read(event_counter(0)), 35u);
  write(Register::pmcr, 0);
  retire(6);
  EXPECT_EQ(read(event_counter(0)), 35u);
}

TEST_F(CorePmuTest, LevelFilters) {
  struct Row {
    u64 filter, expected;
  };
  for (const Row row : {Row{0, 7 + 100}, {kFilterKernel, 7}, {kFilterUser, 100}, {kFilterKernel | kFilterUser, 0}}) {
    make(kV3p1);
    count_on(2, kInstRetired | row.filter);
    write(Register::pmccfiltr, row.filter);
    write(Register::pmcntenset, u64{1} << kCycleCounterBit);
    retire(7, Level::user);
    retire(100, Level::kernel);
    pass(7, Level::user);
    pass(100, Level::kernel);
    EXPECT_EQ(read(event_counter(2)), row.expected) << std::hex << row.filter;
    EXPECT_EQ(read(Register::pmccntr), row.expected) << std::hex << row.filter;
  }
}

TEST_F(CorePmuTest, ChangingTheEventKeepsTheValueAndForgetsThePast) {
  count_on(1, kInstRetired);
  retire(3);
  pass(1000);
  write(event_type(1), kCycles);
  pass(4);
  EXPECT_EQ(read(event_counter(1)), 7u);
}

TEST_F(CorePmuTest, OverflowByVersionAndLongEvents) {
  struct Row {
    u32 version;
    u64 control, start, delta, value;
    bool overflow;
  };
  constexpr u64 kTop = 0xffffffff;
  const Row rows[] = {
      {kV3p1, 0, kTop - 1, 1, kTop, false},
      {kV3p1, 0, kTop - 1, 2, 0, true},
      {kV3p1, 0, kTop, 11, 10, true},
      {kV3p1, 0, 5, u64{3} << 32, 5, true},
      {kV3p1, kPmcrLongEvents, kTop, 1, 0, true},  // LP does not exist before v3p5
      {kV3p5, 0, kTop, 1, kTop + 1, true},         // 64 bits wide, overflow at 32
      {kV3p5, 0, kTop + 1, 1, kTop + 2, false},
      {kV3p5, kPmcrLongEvents, kTop, 1, kTop + 1, false},
      {kV3p5, kPmcrLongEvents, ~u64{0}, 1, 0, true},
      {kV3p5, kPmcrLongEvents, ~u64{0} - 1, 1, ~u64{0}, false},
  };
  for (const Row& row : rows) {
    make(row.version);
    write(Register::pmcr, kPmcrEnable | row.control);
    write(event_type(3), kInstRetired);
    write(event_counter(3), row.start);
    write(Register::pmcntenset, 1u << 3);
    retire(row.delta);
    EXPECT_EQ(read(event_counter(3)), row.value);
    EXPECT_EQ(read(Register::pmovsclr), row.overflow ? 8u : 0u) << row.version << " " << row.start << "+" << row.delta;
  }
}

TEST_F(CorePmuTest, OverflowFlagStaysUntilCleared) {
  count_on(0, kInstRetired);
  write(event_counter(0), 0xffffffff);
  retire(1);
  EXPECT_EQ(read(Register::pmovsclr), 1u);
  write(Register::pmovsclr, 2);
  EXPECT_EQ(read(Register::pmovsclr), 1u);
  write(Register::pmcr, kPmcrEnable | kPmcrResetEvents);  // resets do not clear flags
  EXPECT_EQ(read(Register::pmovsclr), 1u);
  write(Register::pmovsclr, 1);
  EXPECT_EQ(read(Register::pmovsclr), 0u);
}

TEST_F(CorePmuTest, InterruptNeedsFlagEnableAndPmu) {
  count_on(0, kInstRetired);
  write(event_counter(0), 0xffffffff);
  write(Register::pmintenset, 1);
  EXPECT_EQ(read(Register::pmintenset), 1u);
  EXPECT_FALSE(pmu_.interrupt_pending(now_));
  retire(1);
  EXPECT_TRUE(pmu_.interrupt_pending(now_));
  write(Register::pmintenclr, 1);
  EXPECT_FALSE(pmu_.interrupt_pending(now_));
  write(Register::pmintenset, 1);
  write(Register::pmcr, 0);
  EXPECT_FALSE(pmu_.interrupt_pending(now_));
}

TEST_F(CorePmuTest, ControlResetsReadBackAsZero) {
  count_on(0, kInstRetired);
  write(Register::pmcntenset, u64{1} << kCycleCounterBit);
  retire(5);
  pass(9);
  write(Register::pmcr, kPmcrEnable | kPmcrResetEvents);
  EXPECT_EQ(read(event_counter(0)), 0u);
  EXPECT_EQ(read(Register::pmccntr), 9u);
  write(Register::pmcr, kPmcrEnable | kPmcrResetCycles);
  EXPECT_EQ(read(Register::pmccntr), 0u);
  EXPECT_EQ(read(Register::pmcr) & 0x7ff, kPmcrEnable);
}

TEST_F(CorePmuTest, CycleCounterOverflowFollowsLongCycles) {
  for (const bool long_cycles : {false, true}) {
    make(kV3p1);
    write(Register::pmcr, kPmcrEnable | (long_cycles ? kPmcrLongCycles : 0));
    write(Register::pmcntenset, u64{1} << kCycleCounterBit);
    write(Register::pmccntr, 0xffffffff);
    pass(1);
    EXPECT_EQ(read(Register::pmccntr), u64{1} << 32);
    EXPECT_EQ(read(Register::pmovsclr) != 0, !long_cycles);
    write(Register::pmccntr, ~u64{0});
    write(Register::pmovsclr, ~u64{0});
    pass(1);
    EXPECT_EQ(read(Register::pmccntr), 0u);
    EXPECT_EQ(read(Register::pmovsclr), u64{1} << kCycleCounterBit);
  }
}

TEST_F(CorePmuTest, ChainCountsOverflowsOfTheCounterBelow) {
  write(event_type(0), kInstRetired);
  write(event_type(1), kChain);
  write(event_counter(0), 0xfffffff0);
  write(Register::pmcntenset, 3);
  write(Register::pmcr, kPmcrEnable);
  retire(0x10);
  EXPECT_EQ(read(event_counter(1)), 1u);
  retire((u64{5} << 32) + 3);
  EXPECT_EQ(read(event_counter(0)), 3u);
  EXPECT_EQ(read(event_counter(1)), 6u);
}

TEST_F(CorePmuTest, MissingCountersReadZeroAndIgnoreWrites) {
  for (u32 counters : {1u, 5u, 6u, 20u, 31u}) {
    make(kV3p1, counters);
    EXPECT_EQ(read(Register::pmcr) >> 11 & 0x1f, counters);
    write(Register::pmcntenset, ~u64{0});
    write(Register::pmintenset, ~u64{0});
    const u64 mask = ((u64{1} << counters) - 1) | u64{1} << 31;
    EXPECT_EQ(read(Register::pmcntenset), mask);
    EXPECT_EQ(read(Register::pmcntenclr), mask);
    EXPECT_EQ(read(Register::pmintenclr), mask);
    for (u32 counter = 0; counter < kMaxEventCounters; ++counter) {
      write(event_type(counter), kCycles);
      write(event_counter(counter), 77);
      EXPECT_EQ(read(event_type(counter)), counter < counters ? kCycles : 0);
      EXPECT_EQ(read(event_counter(counter)), counter < counters ? 77u : 0u);
    }
  }
}

TEST_F(CorePmuTest, EventNumberHasSixteenBits) {
  write(event_type(0), 0x1ffff);
  EXPECT_EQ(read(event_type(0)), 0xffffu);
  write(Register::pmccfiltr, ~u64{0});
  EXPECT_EQ(read(Register::pmccfiltr) & 0x03ffffff, 0u);
}

TEST_F(CorePmuTest, Identification) {
  EXPECT_EQ(read(Register::midr), 0x414fd0c1u);
  EXPECT_EQ(read(Register::id_aa64dfr0), 0x110305408u);  // the value of a Neoverse N1
  EXPECT_EQ(read(Register::pmcr) >> 16, 0x410cu);
  pmu_ = CorePmu(PmuConfig{0x414fd0c1, 6, kV3p1, 0});
  EXPECT_EQ(read(Register::id_aa64dfr0) >> 32, 0u);
  EXPECT_EQ(read(Register::pmceid0) >> 32 & 0xf, 0u) << "events of profiling";
}

TEST_F(CorePmuTest, EventBitmapSaysWhatIsModelled) {
  const u64 low = read(Register::pmceid0);
  const u64 high = read(Register::pmceid1);
  for (u32 bit = 0; bit < 32; ++bit) {
    EXPECT_EQ(low >> bit & 1, (bit == kChain || event_is_modelled(static_cast<u16>(bit))) ? 1u : 0u) << bit;
    EXPECT_EQ(low >> (32 + bit) & 1, event_is_modelled(static_cast<u16>(0x4000 + bit)) ? 1u : 0u) << bit;
    EXPECT_EQ(high >> bit & 1, event_is_modelled(static_cast<u16>(0x20 + bit)) ? 1u : 0u) << bit;
  }
  EXPECT_EQ(low >> kCycles & 1, 1u);
}

TEST_F(CorePmuTest, ArmedIsWhatCountsWithItsInterruptEnabled) {
  EXPECT_FALSE(pmu_.armed());
  count_on(2, kInstRetired);
  EXPECT_FALSE(pmu_.armed());
  write(Register::pmintenset, 1 << 2);
  EXPECT_TRUE(pmu_.armed());
  write(Register::pmintenset, 1 << 3);
  write(Register::pmcntenclr, 1 << 2);
  EXPECT_FALSE(pmu_.armed()) << "one counts, another has its interrupt enabled";
  EXPECT_TRUE(pmu_.watches(now_).empty());
  write(Register::pmcntenset, 1 << 3);
  EXPECT_TRUE(pmu_.armed());
  write(Register::pmcr, 0);
  EXPECT_FALSE(pmu_.armed());
}

TEST_F(CorePmuTest, WatchesSayHowFarTheOverflowIs) {
  count_on(0, kInstRetired | kFilterKernel);
  count_on(1, 0x70 | kFilterUser);
  count_on(2, kCycles);
  write(event_counter(0), 0xffff'ffff);
  write(event_counter(2), u64{1} << 32);
  write(Register::pmccntr, ~u64{0} - 99);
  write(Register::pmcntenset, u64{1} << kCycleCounterBit);
  write(Register::pmintenset, 0b111 | u64{1} << kCycleCounterBit);
  pass(30);
  pass(12, Level::kernel);
  const auto watches = pmu_.watches(now_);
  ASSERT_EQ(watches.size(), 3u) << "what counts the kernel only cannot overflow in user code";
  EXPECT_EQ(watches[0].event, kInstRetired);
  EXPECT_EQ(watches[0].remaining, 1u);
  EXPECT_EQ(watches[1].event, kCycles);
  EXPECT_EQ(watches[1].remaining, (u64{1} << 32) - 42);
  EXPECT_EQ(watches[2].event, kCycles);
  EXPECT_EQ(watches[2].remaining, 100u - 42);
  retire(1);
  EXPECT_TRUE(pmu_.interrupt_pending(now_));
}

TEST_F(CorePmuTest, WatchesOfLongAndChainedCounters) {
  make(kV3p5);
  count_on(0, kInstRetired);
  write(Register::pmintenset, 1);
  write(event_counter(0), ~u64{0} - 9);
  EXPECT_EQ(pmu_.watches(now_)[0].remaining, 10u) << "32 bits overflow, whatever is above them";
  write(event_counter(0), u64{1} << 40);
  EXPECT_EQ(pmu_.watches(now_)[0].remaining, u64{1} << 32);
  write(Register::pmcr, kPmcrEnable | kPmcrLongEvents);
  EXPECT_EQ(pmu_.watches(now_)[0].remaining, 0 - (u64{1} << 40));
  make(kV3p1);
  count_on(2, kInstRetired);
  count_on(3, kChain);
  write(Register::pmintenset, 1 << 3);
  write(event_counter(2), 0xffff'ff00);
  write(event_counter(3), 0xffff'fffe);
  const auto watches = pmu_.watches(now_);
  ASSERT_EQ(watches.size(), 1u);
  EXPECT_EQ(watches[0].event, kInstRetired);
  EXPECT_EQ(watches[0].remaining, (u64{1} << 32) + 0x100);
  retire(watches[0].remaining - 1);
  EXPECT_FALSE(pmu_.interrupt_pending(now_));
  retire(1);
  EXPECT_TRUE(pmu_.interrupt_pending(now_));
}

}  // namespace
}  // namespace wperf::sim
