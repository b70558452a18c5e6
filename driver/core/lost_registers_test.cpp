// SPDX-License-Identifier: BSD-3-Clause
// A core powers down and its counters are not saved, or another program writes them. The values found afterwards are
// not counted, earlier values are kept, and measuring continues.
#include "driver/core/sampling_fixture.h"

namespace wperf::driver {
namespace {

u64 one_of_each(EventClass, u32, u32 event, bool el1) {
  return el1 ? 0 : event;
}

class LostCounts : public testing::Test {
 protected:
  LostCounts() { EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }
  ~LostCounts() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  void begin(const WperfCountRequest& request) {
    ASSERT_EQ(ann.configure(request), WPERF_OK);
    ASSERT_EQ(ann.start(), WPERF_OK);
  }
  WperfCountReply read(EventClass event_class = EventClass::core, u32 unit = 0) {
    WperfCountReply reply = {};
    EXPECT_EQ(ann.read(event_class, unit, reply), WPERF_OK);
    return reply;
  }
  void pass(u64 ms) { hal.advance(ms * kMs, one_of_each); }

  FakeHal hal;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
};

struct Damage {
  const char* name;
  void (*inflict)(FakeHal& hal);
};
std::ostream& operator<<(std::ostream& out, const Damage& damage) {
  return out << damage.name;
}

class LostCountsHow : public LostCounts, public testing::WithParamInterface<Damage> {};

TEST_P(LostCountsHow, NothingIsMadeOfThem) {
  begin(count_request({0, 1}, {100, 200}));
  pass(5);
  core.on_timer();
  pass(3);
  GetParam().inflict(hal);
  pass(4);
  const WperfCountReply at_loss = read();
  EXPECT_EQ(at_loss.losses, 1u);
  EXPECT_EQ(at_loss.lost_ns, 7 * kMs) << "since the last fold";
  EXPECT_EQ(at_loss.entries[0].value, 100u);
  EXPECT_EQ(at_loss.entries[1].value, 200u);
  EXPECT_EQ(at_loss.cycles, 0x11u);
  EXPECT_EQ(at_loss.entries[0].running_ns, 5 * kMs);
  EXPECT_EQ(at_loss.enabled_ns, 12 * kMs);
  pass(2);
  core.on_timer();
  pass(2);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply reply = read();
  EXPECT_EQ(reply.losses, 1u);
  EXPECT_EQ(reply.entries[0].value, 300u) << "it goes on";
  EXPECT_EQ(reply.cycles, 3 * 0x11u);
  EXPECT_EQ(reply.entries[0].running_ns, 9 * kMs);
  EXPECT_EQ(read(EventClass::core, 1).losses, 0u);
  EXPECT_EQ(read(EventClass::core, 1).entries[0].value, 500u) << "another core has lost nothing";
}

TEST_P(LostCountsHow, AtTheEndOnlyWhatWasNotFoldedIsMissing) {
  begin(count_request({0}, {100}));
  pass(5);
  core.on_timer();
  pass(3);
  GetParam().inflict(hal);
  pass(1);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(read().losses, 1u);
  EXPECT_EQ(read().lost_ns, 4 * kMs);
  EXPECT_EQ(read().entries[0].value, 100u);
  EXPECT_EQ(read().rounds, 1u);
}

INSTANTIATE_TEST_SUITE_P(
    , LostCountsHow,
    testing::Values(
        Damage{"wiped", [](FakeHal& hal) { hal.lose_counters(0); }},
        Damage{"switched_off", [](FakeHal& hal) { hal.cores[0].pmcr &= ~kPmcrEnable; }},
        Damage{"disabled", [](FakeHal& hal) { hal.cores[0].enabled &= ~u64{2}; }},
        Damage{"another_event", [](FakeHal& hal) { hal.cores[0].types[0] = 0x8000'0008; }},
        Damage{"reset_by_somebody", [](FakeHal& hal) { hal.cores[0].values[0] = hal.cores[0].values[1] = 0; }},
        Damage{"cycles_reset", [](FakeHal& hal) { hal.cores[0].values[hal.cores[0].enabled >> 2 & 1 ? 2 : 1] = 0; }}),
    testing::PrintToStringParamName());

TEST_F(LostCounts, RotationWithLostCountsIsIgnored) {
  begin(count_request({0}, {1, 2, 3, 4, 5, 6, 7}));  // 7 on 6
  pass(10);
  core.on_timer();
  hal.lose_counters(0);
  pass(10);
  core.on_timer();
  EXPECT_EQ(read().rounds, 1u);
  EXPECT_EQ(read().losses, 1u);
  EXPECT_EQ(read().entries[6].slots, 0u);
  pass(10);
  core.on_timer();
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply reply = read();
  EXPECT_EQ(reply.rounds, 2u);
  EXPECT_EQ(reply.entries[6].value, 7u) << "it got its turn then";
  EXPECT_EQ(reply.entries[6].running_ns, 10 * kMs);
  EXPECT_EQ(reply.entries[0].value, 2u);
  EXPECT_EQ(reply.enabled_ns, 30 * kMs);
  EXPECT_EQ(reply.lost_ns, 10 * kMs);
  EXPECT_EQ(reply.cycles, 2 * 0x11u);
}

TEST_F(LostCounts, InterruptedRotationIsNotFull) {
  begin(count_request({0}, {1, 2, 3, 4, 5, 6, 7}));
  pass(4);
  read();
  hal.lose_counters(0);
  pass(3);
  read();
  pass(3);
  core.on_timer();
  pass(10);
  core.on_timer();
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply reply = read();
  EXPECT_EQ(reply.rounds, 3u);
  EXPECT_EQ(reply.entries[0].value, 3u);
  EXPECT_EQ(reply.entries[0].slots, 3u);
  EXPECT_EQ(reply.entries[0].full_slots, 1u);
  EXPECT_EQ(reply.entries[0].full_value, 1u);
}

TEST_F(LostCounts, SharedCycleCounterDetectsLoss) {
  begin(count_request({0}, {1, 2, 3, 4, 5, 6}));
  pass(5);
  core.on_timer();
  hal.cores[0].cycles = 0;
  EXPECT_EQ(read().losses, 1u);
  EXPECT_EQ(read().cycles, 0x11u);
}

TEST_F(LostCounts, CounterWrapIsNotALoss) {
  const auto much = [](EventClass, u32, u32, bool el1) { return el1 ? u64{0} : u64{0xc000'0000}; };
  begin(count_request({0}, {1}));
  for (u32 i = 0; i < 5; ++i) {
    hal.advance(kMs, much);
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(read().losses, 0u);
  EXPECT_EQ(read().entries[0].value, 5 * u64{0xc000'0000});
}

TEST_F(LostCounts, OfClustersAndControllersToo) {
  ASSERT_EQ(ann.set_up_dmc({0x1000'0000, 0x1001'0000}), WPERF_OK);
  WperfCountRequest request = count_request({0}, {});
  set_events(request, EventClass::dsu, {3, 4});
  set_events(request, EventClass::dmc_clk, {1});
  begin(request);
  pass(5);
  core.on_timer();
  hal.clusters[0] = {.pmcr = hal.clusters[0].pmcr & ~kPmcrEnable};
  for (u32& word : hal.frames[0x1000'0000].words) {
    word = 0;
  }
  pass(5);
  core.on_timer();
  pass(5);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  const WperfCountReply cluster = read(EventClass::dsu);
  EXPECT_EQ(cluster.losses, 1u);
  EXPECT_EQ(cluster.entries[1].value, 8u);
  const WperfCountReply channel = read(EventClass::dmc_clk);
  EXPECT_EQ(channel.losses, 1u);
  EXPECT_EQ(channel.entries[0].value, 2u);
  EXPECT_EQ(read(EventClass::dmc_clk, 1).losses, 0u);
  EXPECT_EQ(read(EventClass::dmc_clk, 1).entries[0].value, 3u);
}

// A sampling counter that lost its registers no longer interrupts, so the next drain has to notice it.
TEST_F(Sampling, LostRegistersAreSetUpAnew) {
  begin(sample_request({0, 1}, {{1, 0, 10}, {0x11, 0, 340}}));
  run(0, 25);
  hal.lose_counters(0);
  run(0, 100);
  EXPECT_EQ(drain(0).size(), 2u) << "nothing came of it";
  EXPECT_EQ(reply.register_losses, 1u);
  run(0, 25);
  EXPECT_EQ(positions(drain(0)), (std::vector<std::pair<u64, u32>>{{135, 1}, {145, 3}}));
  EXPECT_EQ(reply.register_losses, 1u);
  drain(1);
  EXPECT_EQ(reply.register_losses, 0u);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
}

TEST_F(Sampling, AnInterruptFindsWhatIsLost) {
  begin(sample_request({0}, {{1, 0, 10}, {2, 0, 1000}}));
  hal.cores[0].types[0] = 0x8000'0040;  // another program
  run(0, 10);
  EXPECT_TRUE(drain(0).empty());
  EXPECT_EQ(reply.register_losses, 1u);
  run(0, 10);
  EXPECT_EQ(drain(0).size(), 1u);
  hal.offline = {0};
  EXPECT_TRUE(drain(0).empty()) << "a core that is away is no reason to keep samples back";
  hal.offline.clear();
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
}

}  // namespace
}  // namespace wperf::driver
