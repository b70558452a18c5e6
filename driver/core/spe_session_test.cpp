// SPDX-License-Identifier: BSD-3-Clause
// Profiling through the driver's requests: the registers that are set and restored, the requests that are refused in
// each state, and counting at the same time.
#include "driver/core/spe_session.h"

#include "driver/core/spe_fixture.h"

namespace wperf::driver {
namespace {

TEST_F(Profiling, RegistersAreSetOnChosenCoresAndPutBack) {
  WperfSpeRequest request = spe_request({1, 3});
  request.flags = 255;
  request.events = 0x80;
  request.not_events = 0x2;
  request.min_latency = 77;
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  expect_given_back();
  ASSERT_EQ(ann.start_profiling(), WPERF_OK);
  EXPECT_EQ(hal.timer_ms, kSpeTickMs);
  for (const u32 number : {1u, 3u}) {
    const FakeSpe& spe = hal.spes[number];
    EXPECT_EQ(spe.pmscr, 0x3bu);
    EXPECT_EQ(spe.pmsicr, 0u);
    EXPECT_EQ(spe.pmsirr, 0x1001u);
    EXPECT_EQ(spe.pmsfcr, 0x7'000fu);
    EXPECT_EQ(spe.pmsevfr, 0x80u);
    EXPECT_EQ(spe.pmsnevfr, 0x2u);
    EXPECT_EQ(spe.pmslatfr, 77u);
    EXPECT_EQ(spe.pmblimitr, spe.pmbptr + kHalf + 1);
    EXPECT_EQ(spe.pmbptr % kSpePage, 0u);
  }
  EXPECT_TRUE(hal.spes[0] == found[0] && hal.spes[2] == found[2]);
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  expect_given_back();
}

TEST_F(Profiling, RequestsKnowTheirState) {
  const WperfSpeRequest request = spe_request({0, 2});
  EXPECT_EQ(ann.start_profiling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.stop_profiling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.drain(0, reply), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  EXPECT_EQ(ann.stop_profiling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.drain(0, reply), WPERF_OK);
  EXPECT_EQ(reply.bytes, 0u);
  for (const u32 number : {1u, 3u, 4u, 256u, ~0u}) {
    EXPECT_EQ(ann.drain(number, reply), WPERF_BAD_ARGUMENT) << number;
  }
  EXPECT_EQ(ann.ask(WPERF_CODE_SPE_DRAIN, WperfDrainRequest{{}, 0, 1}, reply), WPERF_BAD_ARGUMENT);
  ASSERT_EQ(ann.start_profiling(), WPERF_OK);
  const std::vector<FakeSpe> running = hal.spes;
  EXPECT_EQ(ann.start_profiling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.configure(request), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.configure(count_request({0}, {8})), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.configure(sample_request({0}, {{8, 0, 100}})), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.set_up_dmc({0x1000'0000}), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.send(WPERF_CODE_DSU_SETUP, WperfDsuSetupRequest{{}, 2, 2}), WPERF_WRONG_STATE);
  EXPECT_TRUE(hal.spes == running) << "nothing of that disturbed the profiling";
  EXPECT_EQ(ann.stop_profiling(), WPERF_OK);
  EXPECT_EQ(ann.stop_profiling(), WPERF_WRONG_STATE);
}

TEST_F(Profiling, OnlyAdministratorsProfile) {
  TestClient user(core, 11, false);
  WperfSpeCoreReply abilities = {};
  EXPECT_EQ(user.configure(spe_request({0})), WPERF_ACCESS_DENIED);
  begin(spe_request({0}));
  EXPECT_EQ(user.start_profiling(), WPERF_ACCESS_DENIED);
  EXPECT_EQ(user.drain(0, reply), WPERF_ACCESS_DENIED);
  EXPECT_EQ(user.spe(0, abilities), WPERF_OK);
  EXPECT_EQ(user.stop_profiling(), WPERF_OK);
}

TEST_F(Profiling, EachCoreSaysWhatItCan) {
  hal.pmsidrs[1] = 0x3'0200;
  hal.pmbidrs[2] = 0x16;
  hal.spe_versions[3] = 0;
  WperfSpeCoreReply abilities = {};
  ASSERT_EQ(ann.spe(0, abilities), WPERF_OK);
  EXPECT_EQ(abilities.pmsidr, kAllOfSpe);
  EXPECT_EQ(abilities.pmbidr, 0x26u);
  EXPECT_EQ(abilities.version, 3u);
  EXPECT_EQ(abilities.min_interval, 1024u);
  EXPECT_EQ(abilities.latency_bits, 12u);
  EXPECT_EQ(abilities.buffer_alignment, 64u);
  ASSERT_EQ(ann.spe(1, abilities), WPERF_OK);
  EXPECT_EQ(abilities.min_interval, 512u);
  EXPECT_EQ(abilities.latency_bits, 16u);
  ASSERT_EQ(ann.spe(2, abilities), WPERF_OK);
  EXPECT_EQ(abilities.pmsidr, 0u) << "somebody above keeps it";
  EXPECT_EQ(abilities.min_interval, 0u);
  ASSERT_EQ(ann.spe(3, abilities), WPERF_OK);
  EXPECT_EQ(abilities.version, 0u);
  EXPECT_EQ(ann.spe(4, abilities), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(ann.ask(WPERF_CODE_SPE_CORE, WperfCoreRequest{{}, 0, 1}, abilities), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(ann.configure(spe_request({0, 2})), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(ann.configure(spe_request({3})), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(ann.configure(spe_request({0, 1})), WPERF_OK);
  WperfSpeRequest fast = spe_request({0, 1});
  fast.interval = 1023;
  EXPECT_EQ(ann.configure(fast), WPERF_NOT_SUPPORTED);
}

TEST_F(Profiling, EventsThatTheCoreCannotFilterAreRefused) {
  for (u32 bit = 0; bit < 64; ++bit) {
    WperfSpeRequest request = spe_request({0});
    request.events = u64{1} << bit;
    const bool can = ((machine_with_spe().spe_events >> bit) & 1) != 0;
    EXPECT_EQ(ann.configure(request), can ? WPERF_OK : WPERF_NOT_SUPPORTED) << bit;
    request.not_events = std::exchange(request.events, 0);
    EXPECT_EQ(ann.configure(request), can ? WPERF_OK : WPERF_NOT_SUPPORTED) << bit;
  }
  expect_given_back();
}

TEST_F(Profiling, SomebodyElsesProfilingIsLeftAlone) {
  for (const bool by_control : {true, false}) {
    hal.spes = found;
    (by_control ? hal.spes[2].pmscr : hal.spes[2].pmblimitr) |= 1;
    const std::vector<FakeSpe> before = hal.spes;
    WperfSpeRequest request = spe_request({0, 1, 2, 3});
    ASSERT_EQ(ann.configure(request), WPERF_OK);
    EXPECT_EQ(ann.start_profiling(), WPERF_PROFILING_BUSY);
    EXPECT_TRUE(hal.spes == before);
    EXPECT_EQ(hal.timer_ms, 0u);
    EXPECT_EQ(ann.stop_profiling(), WPERF_WRONG_STATE);
    EXPECT_FALSE(core.on_profiling_interrupt(2));
    request.events = 2;
    EXPECT_EQ(ann.configure(request), WPERF_PROFILING_BUSY) << "the filter cannot be tried out";
    EXPECT_TRUE(hal.spes == before);
  }
  hal.spes = found;
}

TEST_F(Profiling, SamplingAndProfilingReplaceEachOther) {
  WperfDrainReply samples = {};
  ASSERT_EQ(ann.configure(spe_request({0})), WPERF_OK);
  EXPECT_EQ(ann.configure(sample_request({9}, {{8, 0, 100}})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(ann.drain(0, reply), WPERF_OK) << "a refused configuration keeps the other";
  ASSERT_EQ(ann.configure(sample_request({0}, {{8, 0, 100}})), WPERF_OK);
  EXPECT_EQ(ann.start_profiling(), WPERF_WRONG_STATE);
  EXPECT_EQ(hal.allocations.size(), 1u);
  EXPECT_EQ(ann.configure(spe_request({9})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(ann.drain(0, samples), WPERF_OK);
  ASSERT_EQ(ann.configure(spe_request({0})), WPERF_OK);
  EXPECT_EQ(ann.drain(0, samples), WPERF_WRONG_STATE);
  EXPECT_EQ(hal.allocations.size(), 2u);
}

TEST_F(Profiling, CountingContinuesWhileProfiling) {
  ASSERT_EQ(ann.configure(spe_request({0, 1})), WPERF_OK);
  WperfCountRequest counted = count_request({0, 1}, {1, 2, 3, 4, 5, 6, 7});
  counted.period_ms = 25;
  ASSERT_EQ(ann.configure(counted), WPERF_OK) << "neither discards the other";
  ASSERT_EQ(ann.start(), WPERF_OK);
  EXPECT_EQ(hal.timer_ms, 25u);
  ASSERT_EQ(ann.start_profiling(), WPERF_OK);
  EXPECT_EQ(hal.timer_ms, 10u) << "one timer, as often as the faster needs it";
  u64 made = 0;
  for (u32 tick = 0; tick < 100; ++tick) {
    hal.advance(10'000'000, [](EventClass, u32, u32 event, bool el1) { return el1 ? 0 : event; });
    made += run(1, 10);
    core.on_timer();
  }
  EXPECT_EQ(drain(1).size(), made);
  WperfCountReply counts = {};
  ASSERT_EQ(ann.read(EventClass::core, 1, counts), WPERF_OK);
  EXPECT_EQ(counts.rounds, 40u) << "a slot every 25 ms";
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  EXPECT_NE(hal.timer_ms, 0u) << "counting still needs it";
  for (u32 tick = 0; tick < 5; ++tick) {
    hal.advance(10'000'000, [](EventClass, u32, u32 event, bool el1) { return el1 ? 0 : event; });
    core.on_timer();
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(hal.timer_ms, 0u);
  ASSERT_EQ(ann.read(EventClass::core, 1, counts), WPERF_OK);
  EXPECT_EQ(counts.enabled_ns, 1'050'000'000u);
  EXPECT_TRUE(hal.spes == found);
}

TEST_F(Profiling, TwoConfigurationsNeverTakeMemoryAtOnce) {
  WperfSampleRequest rings = sample_request({0, 1, 2, 3}, {{8, 0, 100'000}});
  rings.ring_samples = 1024;
  WperfSpeRequest buffers = spe_request({0, 1, 2, 3});
  buffers.buffer_bytes = 16 * WPERF_SPE_MIN_BUFFER;
  const auto most = [this](const auto& request) {
    hal.allocations.peak = 0;
    EXPECT_EQ(ann.configure(request), WPERF_OK);
    return hal.allocations.peak;
  };
  const usize of_rings = most(rings);
  EXPECT_EQ(most(rings), of_rings);
  const usize of_buffers = most(buffers);
  EXPECT_EQ(of_buffers, hal.allocations.now);
  EXPECT_EQ(most(buffers), of_buffers);
  EXPECT_EQ(most(rings), of_rings);
}

TEST_F(Profiling, WithoutMemoryThereIsNoConfiguration) {
  begin(spe_request({0}));
  EXPECT_EQ(run(0, 5), 5u);
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  EXPECT_EQ(ann.configure(spe_request({9})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(drain(0).size(), 5u) << "a refused configuration keeps the old one";
  hal.fail_at = 3;  // one call on a core, then two allocations
  EXPECT_EQ(ann.configure(spe_request({0})), WPERF_NO_MEMORY);
  EXPECT_EQ(ann.drain(0, reply), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.start_profiling(), WPERF_WRONG_STATE);
  EXPECT_EQ(hal.allocations.now, 0u);
  EXPECT_EQ(ann.configure(spe_request({0})), WPERF_OK);
}

TEST_F(Profiling, ATimerThatCannotBeHadRefusesTheStart) {
  ASSERT_EQ(ann.configure(spe_request({0, 1})), WPERF_OK);
  hal.fail_at = 3;  // calls on two cores, then the timer
  EXPECT_EQ(ann.start_profiling(), WPERF_HARDWARE_FAILED);
  expect_given_back();
  ASSERT_EQ(ann.configure(count_request({0}, {1})), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.fail_at = 3;
  EXPECT_EQ(ann.start_profiling(), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(hal.timer_ms, 20u) << "counting has its timer back";
  EXPECT_EQ(ann.start_profiling(), WPERF_OK);
}

TEST_F(Profiling, SleepEndsIt) {
  begin(spe_request({0}));
  EXPECT_EQ(run(0, 5), 5u);
  core.end_measurement();
  expect_given_back();
  EXPECT_EQ(drain(0).size(), 5u) << "what was profiled can still be read";
}

TEST_F(Profiling, EveryEndGivesEverythingBack) {
  TestClient bob(core, 22);
  for (u32 how = 0; how < 5; ++how) {
    ASSERT_EQ(ann.lock(WPERF_LOCK_FORCE), WPERF_OK);
    begin(spe_request({0, 1, 3}));
    EXPECT_EQ(run(1, kRecordsOfHalf + 3), kRecordsOfHalf) << how;  // no interrupt, because profiling has stopped on the
                                                                   // core
    if (how == 0) {
      ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
      EXPECT_EQ(ann.drain(1, reply), WPERF_LOCK_LOST);
      EXPECT_EQ(bob.drain(1, reply), WPERF_WRONG_STATE) << "the preemptor sees nothing of the preempted client";
    } else if (how == 1) {
      ASSERT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
    } else if (how == 2) {
      core.client_gone(11);
    } else if (how == 3) {
      lock.holder = 33;  // from another process
      lock.preempted[0] = 11;
      EXPECT_EQ(ann.drain(1, reply), WPERF_LOCK_LOST);
    } else {
      core.shutdown();
    }
    expect_given_back();
    EXPECT_TRUE(hal.allocations.empty()) << how;
    EXPECT_FALSE(core.on_profiling_interrupt(1)) << how;
    EXPECT_FALSE(core.on_profiling_interrupt(~0u)) << how;
    core.on_timer();
    chosen.clear();
  }
}

// The hardware may continue to write, so its memory must not be freed.
TEST_F(Profiling, MemoryOfAnUnreachableCoreStays) {
  connect_interrupt();
  TestClient bob(core, 22);
  begin(spe_request({0, 3}));
  hal.offline = {3};
  EXPECT_EQ(ann.stop_profiling(), WPERF_HARDWARE_FAILED);
  ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
  EXPECT_EQ(hal.allocations.size(), 3u);
  EXPECT_EQ(bob.drain(0, reply), WPERF_WRONG_STATE) << "what remains is nobody's";
  EXPECT_EQ(bob.configure(spe_request({0})), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(run(3, 1000), kRecordsOfHalf) << "the next interrupt ends it";
  EXPECT_EQ(hal.spes[3].pmscr, 0u);
  hal.offline = {};
  EXPECT_EQ(bob.configure(spe_request({0})), WPERF_OK);
  expect_given_back();
  EXPECT_EQ(hal.allocations.size(), 2u);
}

TEST_F(Profiling, ShutdownLeavesTheMemoryOfAnUnreachableCore) {
  begin(spe_request({3}));
  hal.offline = {3};
  core.shutdown();
  EXPECT_EQ(hal.allocations.size(), 2u);
  EXPECT_EQ(run(3, 1000), kRecordsOfHalf);
  hal.offline = {};
  core.shutdown();  // the destructor's call; now the memory can be freed
}

}  // namespace
}  // namespace wperf::driver
