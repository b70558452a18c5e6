// SPDX-License-Identifier: BSD-3-Clause
// In a run that uses all features, each call into the machine that can fail is made to fail once. After each failure no
// memory is leaked, all registers are restored, and the same driver does a clean run.
#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"
#include "driver/core/spe_fixture.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

u64 some(EventClass, u32, u32 event, bool el1) {
  return el1 ? 0 : event;
}

WperfCountRequest everything() {
  WperfCountRequest request = count_request({0, 1, 3}, {1, 2, 3, 4, 5, 6, 7});
  set_events(request, EventClass::dsu, {1, 2, 3, 4, 5});
  set_events(request, EventClass::dmc_clk, {0, 1, 2});
  set_events(request, EventClass::dmc_clkdiv2, {0x12});
  return request;
}

// Two cores, one sample each per step. Returns false if a request failed or a sample is missing.
bool run_sampling(FakeHal& hal, TestClient& ann) {
  bool good = ann.configure(sample_request({1, 3}, {{5, 0, 5}, {0x11, 0, 0x11}})) == WPERF_OK;
  good = ann.start_sampling() == WPERF_OK && good;
  for (int step = 0; step < 3; ++step) {
    hal.advance(10 * kMs, some);
  }
  good = ann.stop_sampling() == WPERF_OK && good;
  for (const u32 number : {1u, 3u}) {
    WperfDrainReply reply = {};
    good = ann.drain(number, reply) == WPERF_OK && good;
    good = good && reply.count == 3 && reply.taken == 3 && reply.samples[2].overflowed == 3;
  }
  return good;
}

// Two cores, a full half and one record each, while counting. Returns false if a request failed or a record is missing.
bool run_profiling(FakeHal& hal, Core& core, TestClient& ann) {
  hal.on_profiling_interrupt = [&core](u32 number) { return core.on_profiling_interrupt(number); };
  WperfSpeRequest request = spe_request({1, 3});
  request.events = 2;
  bool good = ann.configure(request) == WPERF_OK;
  good = ann.configure(count_request({1}, {5})) == WPERF_OK && good;
  good = ann.start() == WPERF_OK && good;
  good = ann.start_profiling() == WPERF_OK && good;
  for (u64 i = 0; i <= kRecordsOfHalf; ++i) {
    hal.profile(1, numbered_record(i));
    hal.profile(3, numbered_record(i));
  }
  core.on_timer();
  good = ann.stop() == WPERF_OK && good;
  good = ann.stop_profiling() == WPERF_OK && good;
  for (const u32 number : {1u, 3u}) {
    WperfSpeDrainReply reply = {};
    good = ann.drain(number, reply) == WPERF_OK && good;
    good = good && reply.bytes == kHalf && reply.more == 1 && reply.written == kHalf + kFakeRecord;
  }
  return good;
}

// Returns true if every request succeeded with the right counts.
bool run(FakeHal& hal, Core& core) {
  TestClient ann(core, 11);
  hal.on_interrupt = [&core](u32 number) { core.on_overflow(number, {}); };
  bool good = ann.lock(WPERF_LOCK_ACQUIRE) == WPERF_OK;
  WperfHardwareReply hardware = {};
  WperfCoreReply identity = {};
  good = ann.hardware(hardware) == WPERF_OK && good;
  good = ann.ask(WPERF_CODE_CORE, WperfCoreRequest{}, identity) == WPERF_OK && good;
  good = ann.set_up_dmc({0x1000'0000, 0x1001'0000}) == WPERF_OK && good;
  for (int round = 0; round < 2; ++round) {
    good = ann.configure(everything()) == WPERF_OK && good;
    good = ann.start() == WPERF_OK && good;
    for (int slot = 0; slot < 2; ++slot) {
      hal.advance(10 * kMs, some);
      core.on_timer();
    }
    WperfCountReply reply = {};
    good = ann.read(EventClass::core, 3, reply) == WPERF_OK && good;
    good = ann.stop() == WPERF_OK && good;
    good = ann.read(EventClass::dsu, 1, reply) == WPERF_OK && good;
    good = good && reply.rounds == 2 && reply.entries[0].value == 2 && reply.entries[4].value == 5;
  }
  good = run_sampling(hal, ann) && good;
  good = run_profiling(hal, core, ann) && good;
  good = ann.lock(WPERF_LOCK_RELEASE) == WPERF_OK && good;
  return good;
}

TEST(Fault, EveryFallibleCallFailsOnceAndNothingIsLeft) {
  u32 failures = 0;
  for (u32 nth = 1;; ++nth) {
    ASSERT_LT(nth, 1000u);
    FakeHal hal(machine_with_spe());
    const std::vector<FakePmu> cores = hal.cores;
    const std::vector<FakePmu> clusters = hal.clusters;
    const std::vector<FakeSpe> spes = hal.spes;
    LockState lock;
    Core core(hal, lock, {});
    hal.fail_at = nth;
    const bool good = run(hal, core);
    const bool injected = hal.fail_at == 0;
    if (!injected) {
      ASSERT_TRUE(good) << "a run without a failure must succeed";
      core.shutdown();
      break;
    }
    failures += good ? 0 : 1;
    // The only state that cannot be restored at once is the state of a core that could not be reached; the release of
    // the lock tries again.
    EXPECT_FALSE(hal.reserved) << nth;
    EXPECT_TRUE(hal.allocations.empty()) << nth;
    EXPECT_EQ(hal.timer_ms, 0u) << nth;
    EXPECT_TRUE(hal.cores == cores) << nth;
    EXPECT_TRUE(hal.clusters == clusters) << nth;
    EXPECT_TRUE(hal.spes == spes) << nth;
    ASSERT_TRUE(run(hal, core)) << "clean run after failure " << nth;
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << nth << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  EXPECT_GT(failures, 37u) << "most failures must be told to the client";
}

TEST(Fault, ForceEndsSamplingWhateverTheMachineDoes) {
  for (u32 nth = 1; nth < 12; ++nth) {
    FakeHal hal;
    LockState lock;
    Core core(hal, lock, {});
    TestClient ann(core, 11);
    TestClient bob(core, 22);
    ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    ASSERT_EQ(ann.configure(sample_request({0, 1, 2, 3}, {{1, 0, 10}})), WPERF_OK);
    ASSERT_EQ(ann.start_sampling(), WPERF_OK);
    hal.fail_at = nth;
    EXPECT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
    EXPECT_FALSE(hal.reserved);
    EXPECT_TRUE(hal.allocations.empty());
    hal.fail_at = 0;
    hal.on_interrupt = [&core](u32 number) { core.on_overflow(number, {}); };
    for (int step = 0; step < 10; ++step) {
      hal.advance(kMs, some);  // a core that could not be reached finds no memory of ann's session, and stops
                               // interrupting
    }
    for (const FakePmu& pmu : hal.cores) {
      EXPECT_EQ(pmu.interrupts, 0u);
      EXPECT_EQ(pmu.enabled, u64{1} << kCycleCounter);
    }
    ASSERT_EQ(bob.configure(sample_request({0, 1, 2, 3}, {{1, 0, 10}})), WPERF_OK);
    ASSERT_EQ(bob.start_sampling(), WPERF_OK) << "the next client samples there as anywhere";
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
}

TEST(Fault, ForceSucceedsWhateverTheMachineDoes) {
  for (u32 nth = 1; nth < 12; ++nth) {
    FakeHal hal;
    LockState lock;
    Core core(hal, lock, {});
    TestClient ann(core, 11);
    TestClient bob(core, 22);
    ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    ASSERT_EQ(ann.configure(everything()), WPERF_NOT_SUPPORTED);
    ASSERT_EQ(ann.configure(count_request({0, 1, 2, 3}, {1})), WPERF_OK);
    ASSERT_EQ(ann.start(), WPERF_OK);
    hal.fail_at = nth;
    EXPECT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
    EXPECT_EQ(lock.holder, 22u);
    EXPECT_FALSE(hal.reserved);
    EXPECT_TRUE(hal.allocations.empty());
  }
}

}  // namespace
}  // namespace wperf::driver
