// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/spe_unit.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "sim/pmu/spe_record.h"

namespace wperf::sim {
namespace {

using driver::Register;

constexpr u32 kAdd = 0x91000442, kLoad = 0xf9400023, kStore = 0xf9000425, kReturn = 0xd65f03c0, kBranch = 0x54fffee1;
constexpr u32 kAtomicAdd = 0xf8e00022;    // ldaddal x0, x2, [x1]
constexpr u32 kAtomicStore = 0xf820003f;  // stadd x0, [x1]

class SpeUnitTest : public testing::Test {
 protected:
  void start(u32 version = 1, usize records = 16, u64 control = kSpeUser) {
    unit = SpeUnit({version, 1, 25});
    buffer.assign(records * kSpeRecordSize + 2 * 4096, 0xee);
    begin = (reinterpret_cast<std::uintptr_t>(buffer.data()) + 4095) & ~u64{4095};
    // A limit is the start of a page, so the pointer starts below a page boundary, with room for `records`.
    const u64 limit = (begin + records * kSpeRecordSize + 4095) & ~u64{4095};
    begin = limit - records * kSpeRecordSize;
    unit.write(Register::pmscr, control);
    unit.write(Register::pmsirr, 0x400);
    unit.write(Register::pmbptr, begin);
    unit.write(Register::pmblimitr, limit | kSpeBufferEnable);
  }
  Operation operation(u32 word, u64 begun = 0) {
    Operation result = describe_operation(0x7ff612340000, word);
    result.begun = begun;
    if (result.is_memory()) add_access(result, 0x20000000123, {});
    settle_latency(result);
    return result;
  }
  // Like the engine: returns false if the sample collided.
  bool sample(const Operation& what) {
    unit.pass(unit.remaining() - 1);
    if (!unit.choose(what.begun)) return false;
    last = unit.complete(what);
    return true;
  }
  bool kept(const Operation& what) {
    EXPECT_TRUE(sample(what));
    return last.kept;
  }
  u64 written() const { return (unit.read(Register::pmbptr) - begin) / kSpeRecordSize; }

  SpeUnit unit{SpeConfig{}};
  std::vector<u8> buffer;
  u64 begin = 0;
  Profiler::Completion last;
};

TEST_F(SpeUnitTest, IdentityFollowsTheVersion) {
  EXPECT_EQ(SpeUnit({0, 1, 25}).read(Register::pmsidr), 0u);
  EXPECT_EQ(SpeUnit({0, 1, 25}).read(Register::pmbidr), 0u);
  EXPECT_EQ(SpeUnit({1, 1, 25}).read(Register::pmsidr), 0x2641fu);
  EXPECT_EQ(SpeUnit({3, 1, 25}).read(Register::pmsidr), 0x103645fu);
  EXPECT_EQ(SpeUnit({1, 1, 25}).read(Register::pmbidr), 0x26u);
}

TEST_F(SpeUnitTest, WithoutSpeNothingIsStored) {
  SpeUnit none({0, 1, 25});
  for (u32 reg = static_cast<u32>(Register::pmsidr); reg <= static_cast<u32>(Register::pmbsr); ++reg) {
    none.write(static_cast<Register>(reg), ~u64{0});
    EXPECT_EQ(none.read(static_cast<Register>(reg)), 0u);
  }
  EXPECT_FALSE(none.active());
}

TEST_F(SpeUnitTest, ProfilesWhereItIsToldAndHasABuffer) {
  start();
  EXPECT_TRUE(unit.profiles(Level::user));
  EXPECT_FALSE(unit.profiles(Level::kernel));
  unit.write(Register::pmscr, kSpeKernel);
  EXPECT_FALSE(unit.profiles(Level::user));
  EXPECT_TRUE(unit.profiles(Level::kernel));
  unit.write(Register::pmbsr, kSpeService);
  EXPECT_FALSE(unit.active());
  unit.write(Register::pmbsr, 0);
  unit.write(Register::pmblimitr, 0);
  EXPECT_FALSE(unit.active());
}

TEST_F(SpeUnitTest, IntervalsCountDown) {
  start();
  EXPECT_EQ(unit.remaining(), 0x400u) << "the first one, of a counter that is 0";
  unit.pass(0x100);
  EXPECT_EQ(unit.read(Register::pmsicr), 0x300u);
  unit.write(Register::pmsicr, 7);
  EXPECT_EQ(unit.remaining(), 7u);
  unit.pass(6);
  EXPECT_TRUE(unit.choose(0));
  EXPECT_EQ(unit.remaining(), 0x400u);
}

TEST_F(SpeUnitTest, JitterIsInTheLowBitsAndOfTheSeed) {
  const auto intervals = [](u64 seed) {
    SpeUnit own({1, seed, 25});
    own.write(Register::pmsirr, 0x801);
    std::vector<u64> result;
    for (int i = 0; i < 1000; ++i) {
      own.choose(0);
      result.push_back(own.remaining());
    }
    return result;
  };
  const std::vector<u64> first = intervals(1);
  EXPECT_EQ(intervals(1), first);
  EXPECT_NE(intervals(2), first);
  u64 sum = 0;
  for (const u64 interval : first) {
    EXPECT_GE(interval, 0x800u);
    EXPECT_LE(interval, 0x8ffu);
    sum += interval - 0x800;
  }
  EXPECT_NEAR(static_cast<double>(sum) / 1000, 127.5, 10);
}

TEST_F(SpeUnitTest, ARecordAboutALoad) {
  start(1, 16, kSpeUser | kSpeContext | kSpeTime);
  unit.enter(0x1234, 1000);
  Operation load = describe_operation(0x7ff612340008, kLoad);
  load.begun = 50;
  add_access(load, 0x20000000040, {DataSource::dram, true, true, true, true, false, 150, 30});
  settle_latency(load);
  ASSERT_TRUE(kept(load));
  const u8 expected[kSpeRecordSize] = {
      0xb0, 0x08, 0x00, 0x34, 0x12, 0xf6, 0x7f, 0x00, 0x80, 0,    0,  0, 0, 0,  // pc, el0, non-secure
      0x64, 0x34, 0x12, 0,    0,                                                // context
      0x49, 0x00, 0x52, 0x3e, 0x03,                                             // load; events
      0x99, 4,    0,    0x98, 188,  0,                                          // issue, total
      0xb2, 0x40, 0,    0,    0,    0,    0x02, 0,    0,    0x9a, 30, 0, 0, 0,
      0,    0,    0,    0,    0,    0,    0,                                  // address, translation
      0x43, 0x0e, 0,    0,    0x71, 0x1a, 0x04, 0,    0,    0,    0,  0, 0};  // DRAM; ticks 1050
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void*>(begin), expected, sizeof expected), 0);
}

TEST_F(SpeUnitTest, LatenciesSaturate) {
  EXPECT_EQ(spe_latency(5000, 1), 4095u);
  EXPECT_EQ(spe_latency(5000, 3), 5000u);
  EXPECT_EQ(spe_latency(70000, 3), 65535u);
}

TEST_F(SpeUnitTest, TypesAreFiltered) {
  start();
  struct Case {
    u64 types;
    bool load, store, branch, other, atomic, atomic_store;
  };
  for (const Case& each : {Case{kSpeLoads, true, false, false, false, true, false},
                           Case{kSpeStores, false, true, false, false, true, true},
                           Case{kSpeBranches, false, false, true, false, false, false},
                           Case{kSpeLoads | kSpeBranches, true, false, true, false, true, false}}) {
    unit.write(Register::pmsfcr, kSpeFilterTypes | each.types);
    u64 at = 0;
    EXPECT_EQ(kept(operation(kLoad, at += 1000)), each.load);
    EXPECT_EQ(kept(operation(kStore, at += 1000)), each.store);
    EXPECT_EQ(kept(operation(kReturn, at += 1000)), each.branch);
    EXPECT_EQ(kept(operation(kAdd, at += 1000)), each.other);
    EXPECT_EQ(kept(operation(kAtomicAdd, at += 1000)), each.atomic);
    EXPECT_EQ(kept(operation(kAtomicStore, at += 1000)), each.atomic_store);
    start();
  }
}

TEST_F(SpeUnitTest, EventsAreFiltered) {
  start(3);
  Operation missed = operation(kLoad, 1000), hit = operation(kLoad, 2000);
  missed.access.refill = missed.access.walk = true;
  unit.write(Register::pmsfcr, kSpeFilterEvents);
  unit.write(Register::pmsevfr, 1 << 3 | 1 << 5);
  EXPECT_TRUE(kept(missed));
  EXPECT_FALSE(kept(hit));
  unit.write(Register::pmsevfr, 1 << 3 | 1 << 7);
  missed.begun = 3000;
  EXPECT_FALSE(kept(missed)) << "all of them are asked for";
  unit.write(Register::pmsfcr, kSpeFilterAbsent);
  unit.write(Register::pmsnevfr, 1 << 3);
  missed.begun = 4000;
  hit.begun = 5000;
  EXPECT_FALSE(kept(missed));
  EXPECT_TRUE(kept(hit));
  EXPECT_EQ(written(), 2u);
}

TEST_F(SpeUnitTest, OnlyEventsOfTheVersionCanBeFiltered) {
  for (const auto& [version, mask] : {std::pair{1u, 0xaau}, {2u, 0x8aau}, {3u, 0x8eau}}) {
    start(version);
    unit.write(Register::pmsevfr, ~u64{0});
    EXPECT_EQ(unit.read(Register::pmsevfr), mask);
    unit.write(Register::pmsnevfr, ~u64{0});
    EXPECT_EQ(unit.read(Register::pmsnevfr), version == 3 ? mask : 0u);
  }
}

TEST_F(SpeUnitTest, LatencyIsFiltered) {
  start();
  const u32 latency = operation(kLoad).total_latency;
  unit.write(Register::pmsfcr, kSpeFilterLatency);
  unit.write(Register::pmslatfr, latency);
  EXPECT_TRUE(kept(operation(kLoad, 1000)));
  unit.write(Register::pmslatfr, latency + 1);
  EXPECT_FALSE(kept(operation(kLoad, 2000)));
}

TEST_F(SpeUnitTest, CollidesWithWhatIsUnderWay) {
  start();
  const Operation first = operation(kLoad, 1000);
  EXPECT_TRUE(sample(first));
  EXPECT_EQ(unit.read(Register::pmbsr), 0u);
  EXPECT_FALSE(sample(operation(kAdd, 1000 + first.total_latency - 1)));
  EXPECT_EQ(unit.read(Register::pmbsr), kSpeCollision);
  EXPECT_TRUE(sample(operation(kAdd, 1000 + first.total_latency)));
  EXPECT_EQ(written(), 2u);
  EXPECT_FALSE(unit.interrupt_pending());
}

TEST_F(SpeUnitTest, AFullBufferInterruptsOnceAndLosesNothing) {
  start(1, 3);
  for (u64 i = 1; i <= 3; ++i) {
    EXPECT_TRUE(kept(operation(kAdd, i * 1000)));
    EXPECT_EQ(last.interrupt, i == 3);
  }
  EXPECT_EQ(unit.read(Register::pmbsr), kSpeService | kSpeBufferFull);
  EXPECT_FALSE(unit.active());
  EXPECT_TRUE(unit.take_interrupt());
  EXPECT_FALSE(unit.take_interrupt());
  unit.write(Register::pmbptr, begin);
  unit.write(Register::pmbsr, 0);
  EXPECT_TRUE(unit.active());
  EXPECT_TRUE(kept(operation(kAdd, 9000)));
  EXPECT_EQ(written(), 1u);
}

TEST_F(SpeUnitTest, WithoutRoomARecordIsLostAndSaid) {
  start(1, 1);
  unit.write(Register::pmbptr, begin + 1);
  EXPECT_FALSE(kept(operation(kAdd, 1000)));
  EXPECT_EQ(unit.read(Register::pmbsr), kSpeService | kSpeBufferFull | kSpeDataLoss);
  EXPECT_TRUE(unit.interrupt_pending());
}

TEST_F(SpeUnitTest, PreviousTargetsComeWithTheVersion) {
  const auto record_of = [&](u32 version) {
    start(version);
    Operation branch = operation(kBranch, 1000);
    branch.target = 0x7ff612345678;
    EXPECT_TRUE(kept(branch));
    EXPECT_TRUE(kept(operation(kAdd, 2000)));
    const auto* const second = reinterpret_cast<const u8*>(begin) + kSpeRecordSize;
    return second[30] == 0xb4 && second[31] == 0x78 && second[32] == 0x56;
  };
  EXPECT_FALSE(record_of(1));
  EXPECT_TRUE(record_of(3));
}

}  // namespace
}  // namespace wperf::sim
