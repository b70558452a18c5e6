// SPDX-License-Identifier: BSD-3-Clause
// Counting on cores: values, filters, overflow, restored registers, slots.
#include <gtest/gtest.h>

#include "driver/core/counter_bank.h"
#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

// Each event happens as often as its number at EL0, and ten times as often at EL1.
u64 by_number(EventClass, u32 unit, u32 event, bool el1) {
  return (u64{event} + 1000 * unit) * (el1 ? 10 : 1);
}

class Counting : public testing::Test {
 protected:
  explicit Counting(const FakeMachine& machine = {}) : hal(machine) {
    EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  }
  ~Counting() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  WperfCountReply read(u32 unit = 0, EventClass event_class = EventClass::core) {
    WperfCountReply reply = {};
    EXPECT_EQ(ann.read(event_class, unit, reply), WPERF_OK);
    return reply;
  }
  void begin(const WperfCountRequest& request) {
    ASSERT_EQ(ann.configure(request), WPERF_OK);
    ASSERT_EQ(ann.start(), WPERF_OK);
  }

  FakeHal hal;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
};

TEST_F(Counting, ValuesAreExactPerCore) {
  begin(count_request({0, 2}, {0x8, 0x1b}));
  EXPECT_EQ(hal.timer_ms, 20u) << "without multiplexing the timer folds every two periods";
  for (int i = 0; i < 5; ++i) {
    hal.advance(3 * kMs, by_number);
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  hal.advance(3 * kMs, by_number);
  for (const u32 unit : {0u, 2u}) {
    const WperfCountReply reply = read(unit);
    EXPECT_EQ(reply.unit, unit);
    EXPECT_EQ(reply.entry_count, 2u);
    EXPECT_EQ(reply.multiplexed, 0u);
    EXPECT_EQ(reply.enabled_ns, 15 * kMs);
    EXPECT_EQ(reply.rounds, 1u);
    EXPECT_EQ(reply.cycles, 5 * (0x11 + 1000 * unit));
    EXPECT_EQ(reply.entries[0].value, 5 * (0x8 + 1000 * unit));
    EXPECT_EQ(reply.entries[1].value, 5 * (0x1b + 1000 * unit));
    EXPECT_EQ(reply.entries[1].slots, 1u);
    EXPECT_EQ(reply.entries[1].running_ns, 15 * kMs);
    EXPECT_EQ(reply.entries[1].squares_low, 0u) << "a slot that ends with the counting is not a full one";
  }
}

TEST_F(Counting, KernelModeCountsBothLevels) {
  WperfCountRequest request = count_request({1}, {0x8});
  request.flags = WPERF_COUNT_KERNEL;
  begin(request);
  hal.advance(kMs, by_number);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(read(1).entries[0].value, 11u * 1008);
  EXPECT_EQ(read(1).cycles, 11u * 1017);
}

TEST_F(Counting, ReadingWhileCountingShowsNow) {
  begin(count_request({0}, {0x8}));
  EXPECT_EQ(read().rounds, 0u) << "no time has passed";
  EXPECT_EQ(read().entries[0].slots, 0u);
  for (u32 i = 1; i <= 3; ++i) {
    hal.advance(kMs, by_number);
    const WperfCountReply reply = read();
    EXPECT_EQ(reply.entries[0].value, 8u * i);
    EXPECT_EQ(reply.enabled_ns, i * kMs);
    EXPECT_EQ(reply.rounds, 1u);
    EXPECT_EQ(reply.entries[0].slots, 1u);
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(read().entries[0].value, 24u);
  EXPECT_EQ(read().rounds, 1u) << "reading does not make slots";
}

TEST_F(Counting, ThirtyTwoBitsOverflowExactly) {
  begin(count_request({0}, {0x8}));
  u64 expected = 0;
  // Steps between folds: less than one full turn of the counter, exactly one, just over one, and almost two. The last
  // step needs the overflow flag.
  for (const u64 step :
       {u64{1}, u64{0xffff'ffff}, u64{0x1'0000'0000}, u64{0x1'0000'0005}, u64{5}, u64{0x1'bfff'fff0}}) {
    // The last step is noticed only if counters begin at their first value, so counting is restarted.
    if (step > 0x1'8000'0000) {
      ASSERT_EQ(ann.stop(), WPERF_OK);
      ASSERT_EQ(ann.start(), WPERF_OK);
    }
    hal.advance(kMs, [&](EventClass, u32, u32, bool el1) { return el1 ? 0 : step; });
    core.on_timer();
    expected += step;
    ASSERT_EQ(read().entries[0].value, expected) << std::hex << step;
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(hal.cores[0].overflow & 0x7fff'ffff, 0u) << "flags are taken back, but for the shared cycle counter's";
}

// A counter passes its top after its flag was read and before its value is read. The overflow must count once; the next
// fold finds the flag set and must not count it again.
TEST_F(Counting, OverflowBetweenTheReadsCountsOnce) {
  for (const Register at : {Register::pmovsclr, event_counter(0), event_counter(1)}) {
    begin(count_request({0}, {0x8, 0x9}));
    const auto only_user = [](u64 step) { return [step](EventClass, u32, u32, bool el1) { return el1 ? 0 : step; }; };
    hal.advance(kMs, only_user(0xffff'ffff - kFirstCount));
    core.on_timer();
    u32 reads = 0;
    hal.before_read = [&](Register reg) {
      if (reg == at && reads++ == 0) {
        hal.advance(0, only_user(2));
      }
    };
    core.on_timer();
    hal.before_read = nullptr;
    hal.advance(kMs, only_user(3));
    core.on_timer();
    EXPECT_EQ(read().entries[0].value, 0xc000'0004u) << static_cast<u32>(at);
    EXPECT_EQ(read().entries[1].value, 0xc000'0004u) << static_cast<u32>(at);
    ASSERT_EQ(ann.stop(), WPERF_OK);
  }
}

TEST_F(Counting, OverflowBetweenTheReadsOfALateFoldCounts) {
  begin(count_request({0}, {0x8}));
  const auto only_user = [](u64 step) { return [step](EventClass, u32, u32, bool el1) { return el1 ? 0 : step; }; };
  hal.advance(kMs, only_user(5));
  core.on_timer();
  hal.advance(kMs, only_user(0xffff'fff0 - kFirstCount));
  hal.before_read = [&](Register reg) {
    if (reg == event_counter(0)) {
      hal.before_read = nullptr;
      hal.advance(0, only_user(0x20 + kFirstCount));
    }
  };
  core.on_timer();  // the counter is above its last value again: only the flag shows that it wrapped
  EXPECT_EQ(read().entries[0].value, 0x1'0000'0015u);
  ASSERT_EQ(ann.stop(), WPERF_OK);
}

TEST_F(Counting, CyclesTakeACounterThatIsFree) {
  for (const usize events : {0, 1, 5}) {
    begin(count_request({0}, std::vector<u16>(events, 0x8)));
    hal.advance(kMs, by_number);
    EXPECT_EQ(read().cycles, 0x11u) << "at EL0, as events are";
    EXPECT_EQ(read().cycles_source, u32{WPERF_CYCLES_COUNTED});
    ASSERT_EQ(ann.stop(), WPERF_OK);
  }
}

TEST_F(Counting, CyclesAreADifferenceWhereNoCounterIsFree) {
  hal.cores[0].cycles = 1000;
  for (const usize events : {6, 7}) {
    begin(count_request({0}, std::vector<u16>(events, 0x8)));
    hal.advance(kMs, by_number);
    core.on_timer();
    hal.advance(kMs, by_number);
    EXPECT_EQ(read().cycles, 2 * 11 * 0x11u) << "of both levels: the filter is not ours to set";
    EXPECT_EQ(read().cycles_source, u32{WPERF_CYCLES_SHARED});
    ASSERT_EQ(ann.stop(), WPERF_OK);
  }
}

TEST_F(Counting, CycleSourceFollowsSettingsOfOwner) {
  struct Row {
    u64 enabled, pmcr;
    u32 source;
  };
  const u64 cycle_counter = u64{1} << kCycleCounter;
  for (const Row& row :
       {Row{0, kPmcrLongCycles, WPERF_CYCLES_NONE}, Row{cycle_counter, kPmcrDivideCycles, WPERF_CYCLES_NONE},
        Row{cycle_counter, kPmcrDivideCycles | kPmcrLongCycles, WPERF_CYCLES_SHARED}}) {
    hal.cores[0].enabled = row.enabled;
    hal.cores[0].pmcr = (hal.cores[0].pmcr & ~(kPmcrLongCycles | kPmcrDivideCycles)) | row.pmcr;
    begin(count_request({0}, {1, 2, 3, 4, 5, 6}));
    hal.advance(kMs, by_number);
    EXPECT_EQ(read().cycles_source, row.source);
    EXPECT_EQ(read().cycles, row.source == WPERF_CYCLES_NONE ? 0 : 11 * 0x11u);
    ASSERT_EQ(ann.stop(), WPERF_OK);
  }
}

// Windows computes the CPU times of threads from the cycle counter, and programs read it.
TEST_F(Counting, CycleCounterOfOtherOwnerIsPreserved) {
  const auto spin = [](EventClass, u32, u32, bool el1) { return el1 ? u64{200'000} : 0; };
  const u64 at_first = hal.cores[0].cycles;
  hal.advance(kMs, spin);
  const u64 alone = hal.cores[0].cycles - at_first;
  for (const usize events : {1, 6, 9}) {
    begin(count_request({0}, std::vector<u16>(events, 0x8)));
    const u64 before = hal.cores[0].cycles;
    hal.advance(kMs, spin);
    core.on_timer();
    EXPECT_EQ(hal.cores[0].cycles - before, alone);
    ASSERT_EQ(ann.stop(), WPERF_OK);
  }
}

TEST_F(Counting, RegistersAreFoundAsTheyWere) {
  hal.cores[0].pmcr = (hal.cores[0].pmcr | kPmcrDivideCycles) & ~(kPmcrEnable | kPmcrLongCycles);
  hal.cores[0].types[1] = 0x8000'0021;
  hal.cores[0].interrupts = 0x3;
  hal.cores[0].enabled = 0x2;
  hal.cores[0].cycle_filter = 0x4000'0000;
  hal.clusters[0].selected = 2;
  hal.clusters[0].types[0] = 0x17;
  hal.clusters[0].enabled = 0x8000'0001;
  const std::vector<FakePmu> cores = hal.cores;
  const std::vector<FakePmu> clusters = hal.clusters;
  WperfCountRequest request = count_request({0, 1, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8});
  set_events(request, EventClass::dsu, {1, 2, 3, 4, 5});
  begin(request);
  EXPECT_EQ(hal.cores[0].interrupts, 0u) << "our counters must not interrupt";
  EXPECT_EQ(hal.cores[0].pmcr, cores[0].pmcr | kPmcrEnable);
  for (int i = 0; i < 3; ++i) {
    hal.advance(kMs, by_number);
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_TRUE(hal.cores == cores);
  EXPECT_TRUE(hal.clusters == clusters);
}

class CountingAroundOthers : public Counting {
 protected:
  static FakeMachine machine() {
    FakeMachine machine;
    machine.reserved_mask = 0x2a;  // the driver has 1, 3, 5
    return machine;
  }
  CountingAroundOthers() : Counting(machine()) {}
};

TEST_F(CountingAroundOthers, ForeignCountersKeepCounting) {
  hal.cores[0].pmcr |= kPmcrEnable;
  hal.cores[0].enabled = 0x5;
  hal.cores[0].types[0] = 0x40;
  hal.cores[0].types[2] = 0x41;
  hal.cores[0].overflow = 0x1;
  begin(count_request({0}, {0x8, 0x9, 0xa, 0xb}));
  EXPECT_EQ(hal.timer_ms, 10u) << "four events on three counters rotate";
  for (int i = 0; i < 4; ++i) {
    hal.advance(kMs, by_number);
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(hal.cores[0].values[0], 4 * 11 * 0x40u);
  EXPECT_EQ(hal.cores[0].values[2], 4 * 11 * 0x41u);
  EXPECT_EQ(hal.cores[0].enabled, 0x5u);
  EXPECT_EQ(hal.cores[0].overflow, 0x1u) << "not ours to clear";
  EXPECT_EQ(read().entries[0].value, 3u * 0x8);
}

class CountingLong : public Counting {
 protected:
  static FakeMachine machine() {
    FakeMachine machine;
    machine.pmu_version = 6;
    return machine;
  }
  CountingLong() : Counting(machine()) {}
};

TEST_F(CountingLong, SixtyFourBitCounters) {
  hal.pmu_versions[1] = 5;  // a hybrid machine: this core's counters have 32 bits
  begin(count_request({0, 1}, {0x8}));
  EXPECT_EQ(hal.cores[0].pmcr & kPmcrLongEvents, 0u) << "others wait for their counters' overflow at 32 bits";
  const u64 steps[] = {u64{5} << 32, 0xffff'ffff, 7};
  for (const u64 step : steps) {
    hal.advance(kMs, [&](EventClass, u32 unit, u32, bool) { return unit == 0 ? step : 0xc000'0000; });
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(read(0).entries[0].value, steps[0] + steps[1] + steps[2]);
  EXPECT_EQ(read(1).entries[0].value, u64{3} * 0xc000'0000);
}

TEST_F(Counting, StoppingMidSlotCountsThePartialSlot) {
  // 7 events on 6 counters: slot 0 has entries 0-5, slot 1 has 6,0,1,2,3,4.
  begin(count_request({0}, {1, 2, 3, 4, 5, 6, 7}));
  hal.advance(10 * kMs, by_number);
  core.on_timer();
  hal.advance(4 * kMs, by_number);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply reply = read();
  EXPECT_EQ(reply.multiplexed, 1u);
  EXPECT_EQ(reply.rounds, 2u);
  EXPECT_EQ(reply.enabled_ns, 14 * kMs);
  const u64 slots[] = {2, 2, 2, 2, 2, 1, 1};
  for (u32 i = 0; i < 7; ++i) {
    EXPECT_EQ(reply.entries[i].slots, slots[i]) << i;
    EXPECT_EQ(reply.entries[i].value, slots[i] * (i + 1)) << i;
    EXPECT_EQ(reply.entries[i].squares_low, i < 6 ? (i + 1) * (i + 1) : 0) << "full slots only: " << i;
  }
  EXPECT_EQ(reply.entries[0].running_ns, 14 * kMs);
  EXPECT_EQ(reply.entries[5].running_ns, 10 * kMs);
  EXPECT_EQ(reply.entries[6].running_ns, 4 * kMs);
}

TEST_F(Counting, RunningCyclesAreThoseOfTheEntrysOwnSlots) {
  begin(count_request({0}, {1, 2, 3, 4, 5, 6, 7}));
  const u64 cycles_of_slot[] = {1000, 20};
  for (const u64 cycles : cycles_of_slot) {
    hal.advance(10 * kMs, [&](EventClass, u32, u32 event, bool el1) {
      return el1 ? 0 : event == kCyclesEvent ? cycles : 1;
    });
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply reply = read();
  EXPECT_EQ(reply.cycles, 1020u);
  EXPECT_EQ(reply.entries[0].running_cycles, 1020u);
  EXPECT_EQ(reply.entries[5].running_cycles, 1000u);
  EXPECT_EQ(reply.entries[6].running_cycles, 20u);
  EXPECT_EQ(reply.entries[6].full_slots, 1u);
  EXPECT_EQ(reply.entries[6].full_value, 1u);
}

TEST_F(Counting, StoppingAtARotationAddsNoEmptySlot) {
  begin(count_request({0}, {1, 2, 3, 4, 5, 6, 7, 8}));
  hal.advance(10 * kMs, by_number);
  core.on_timer();
  core.on_timer();  // a timer that fires twice at once must not skip entries either
  EXPECT_EQ(read().rounds, 1u);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply reply = read();
  EXPECT_EQ(reply.rounds, 1u);
  EXPECT_EQ(reply.entries[0].slots, 1u);
  EXPECT_EQ(reply.entries[6].slots, 0u);
  EXPECT_EQ(reply.entries[6].value, 0u);
}

TEST_F(Counting, LargeCountsSquareIn128Bits) {
  begin(count_request({0}, {1, 2, 3, 4, 5, 6, 7}));
  const u64 count = 0xffff'fff0;
  for (int i = 0; i < 7; ++i) {
    hal.advance(10 * kMs, [&](EventClass, u32, u32, bool el1) { return el1 ? 0 : count; });
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  __extension__ using Native = unsigned __int128;
  const Native expected = Native{6} * count * count;
  EXPECT_EQ(read().entries[3].squares_low, static_cast<u64>(expected));
  EXPECT_EQ(read().entries[3].squares_high, static_cast<u64>(expected >> 64));
}

TEST_F(Counting, StartingAgainGoesOnWithTheNextSlot) {
  begin(count_request({0}, {1, 2, 3, 4, 5, 6, 7}));
  hal.advance(kMs, by_number);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  hal.advance(50 * kMs, by_number);
  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.advance(kMs, by_number);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply reply = read();
  EXPECT_EQ(reply.rounds, 2u);
  EXPECT_EQ(reply.enabled_ns, 2 * kMs) << "the pause is not enabled time";
  EXPECT_EQ(reply.entries[0].value, 2u);
  EXPECT_EQ(reply.entries[5].value, 6u);
  EXPECT_EQ(reply.entries[6].value, 7u);
  EXPECT_EQ(reply.cycles, 2u * 11 * 0x11);
}

TEST_F(Counting, ConfiguringAgainBeginsAnew) {
  begin(count_request({0}, {1}));
  hal.advance(kMs, by_number);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  ASSERT_EQ(ann.configure(count_request({0}, {1})), WPERF_OK);
  EXPECT_EQ(read().entries[0].value, 0u);
  EXPECT_EQ(read().cycles, 0u);
  EXPECT_EQ(read().enabled_ns, 0u);
  EXPECT_EQ(hal.allocations.size(), 1u);
}

TEST_F(Counting, RefusedConfigurationKeepsTheOldOne) {
  begin(count_request({0}, {1}));
  hal.advance(kMs, by_number);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(ann.configure(count_request({9}, {1})), WPERF_BAD_ARGUMENT);
  hal.fail_at = 1;
  EXPECT_EQ(ann.configure(count_request({0}, {1})), WPERF_NO_MEMORY);
  EXPECT_EQ(read().entries[0].value, 1u);
}

TEST_F(Counting, UnreachableCoreAtStopIsReportedAndReleasedLater) {
  const std::vector<FakePmu> cores = hal.cores;
  begin(count_request({0, 1}, {1}));
  hal.advance(kMs, by_number);
  core.on_timer();
  hal.offline = {1};
  hal.advance(kMs, by_number);
  core.on_timer();
  EXPECT_EQ(ann.stop(), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(hal.timer_ms, 0u);
  EXPECT_EQ(read(0).entries[0].value, 2u);
  EXPECT_EQ(read(1).entries[0].value, 1001u) << "up to the last fold";
  EXPECT_EQ(read(1).rounds, 1u);
  EXPECT_EQ(ann.start(), WPERF_HARDWARE_FAILED) << "its registers are still ours";
  hal.offline.clear();
  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.advance(kMs, by_number);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(read(1).rounds, 2u) << "the slot that was cut off stays a slot";
  EXPECT_EQ(read(1).entries[0].value, 2002u);
  EXPECT_TRUE(hal.cores == cores);

  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.offline = {0};
  EXPECT_EQ(ann.stop(), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(ann.configure(count_request({1}, {1})), WPERF_HARDWARE_FAILED) << "what was found there would be forgotten";
  hal.offline.clear();
  ASSERT_EQ(ann.configure(count_request({1}, {1})), WPERF_OK);
  EXPECT_TRUE(hal.cores == cores);
}

}  // namespace
}  // namespace wperf::driver
