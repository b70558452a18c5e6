// SPDX-License-Identifier: BSD-3-Clause
// A count is running when the lock changes hands: by force, release or the client's death, within this process or to
// another process.
#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

u64 some(EventClass, u32, u32 event, bool el1) {
  return el1 ? 0 : event;
}

class Tenure : public testing::Test {
 protected:
  Tenure() {
    EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    EXPECT_EQ(ann.configure(count_request({0, 1}, {1, 2, 3, 4, 5, 6, 7})), WPERF_OK);
    EXPECT_EQ(ann.start(), WPERF_OK);
    hal.advance(kMs, some);
  }
  ~Tenure() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  void expect_given_back() {
    EXPECT_EQ(hal.timer_ms, 0u);
    EXPECT_FALSE(hal.reserved);
    EXPECT_TRUE(hal.allocations.empty());
    EXPECT_TRUE(hal.cores == FakeHal().cores);
  }
  WperfStatus read(TestClient& client) {
    WperfCountReply reply = {};
    return client.read(EventClass::core, 0, reply);
  }

  FakeHal hal;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
  TestClient bob{core, 22};
};

TEST_F(Tenure, ForceEndsTheVictimsCount) {
  ASSERT_EQ(bob.lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
  EXPECT_EQ(hal.timer_ms, 10u) << "a refused request changes nothing";
  ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
  expect_given_back();
  EXPECT_EQ(read(ann), WPERF_LOCK_LOST);
  EXPECT_EQ(ann.stop(), WPERF_LOCK_LOST);
  EXPECT_EQ(read(bob), WPERF_WRONG_STATE) << "the preemptor sees nothing of the preempted client";
  ASSERT_EQ(bob.configure(count_request({0}, {1})), WPERF_OK);
  ASSERT_EQ(bob.start(), WPERF_OK);
  EXPECT_EQ(ann.start(), WPERF_LOCK_LOST);
  ASSERT_EQ(ann.lock(WPERF_LOCK_FORCE), WPERF_OK);
  EXPECT_EQ(read(ann), WPERF_WRONG_STATE);
  EXPECT_EQ(read(bob), WPERF_LOCK_LOST);
}

TEST_F(Tenure, ReleaseGivesEverythingBack) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
  expect_given_back();
  EXPECT_EQ(read(ann), WPERF_LOCK_NEEDED);
}

TEST_F(Tenure, DeathReleases) {
  core.client_gone(22);
  EXPECT_EQ(hal.timer_ms, 10u) << "somebody else died";
  core.client_gone(11);
  expect_given_back();
  EXPECT_EQ(bob.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
}

TEST_F(Tenure, AcquiringAgainDisturbsNothing) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  ASSERT_EQ(ann.lock(WPERF_LOCK_FORCE), WPERF_OK);
  EXPECT_EQ(hal.timer_ms, 10u);
  EXPECT_EQ(read(ann), WPERF_OK);
}

TEST_F(Tenure, ForceFromAnotherProcessIsNoticedAtTheNextRequest) {
  lock.holder = 33;  // the other process wrote the shared state
  lock.preempted[0] = 11;
  WperfVersionReply version = {};
  ASSERT_EQ(ann.ask(WPERF_CODE_VERSION, WperfPlainRequest{}, version), WPERF_OK);
  expect_given_back();
  EXPECT_EQ(read(ann), WPERF_LOCK_LOST);
  lock = {};  // the other process ended
  EXPECT_EQ(read(ann), WPERF_LOCK_NEEDED);
}

TEST_F(Tenure, TimerAfterTheEndFindsNothing) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
  core.on_timer();
  core.shutdown();
  core.on_timer();
  core.shutdown();
  expect_given_back();
}

TEST_F(Tenure, ShutdownWhileCountingGivesEverythingBack) {
  core.shutdown();
  expect_given_back();
}

// The same test for a client that samples.
class SamplingTenure : public testing::Test {
 protected:
  SamplingTenure() {
    hal.on_interrupt = [this](u32 number) { core.on_overflow(number, {}); };
    EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    EXPECT_EQ(ann.configure(sample_request({0, 1}, {{1, 0, 2}, {0x11, 0, 50}})), WPERF_OK);
    EXPECT_EQ(ann.start_sampling(), WPERF_OK);
    hal.advance(kMs, some);
  }
  ~SamplingTenure() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  void expect_given_back() {
    EXPECT_FALSE(hal.reserved);
    EXPECT_TRUE(hal.allocations.empty());
    EXPECT_TRUE(hal.cores == FakeHal().cores);
  }
  WperfStatus drain(TestClient& client) {
    WperfDrainReply reply = {};
    return client.drain(0, reply);
  }

  FakeHal hal;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
  TestClient bob{core, 22};
};

TEST_F(SamplingTenure, ForceEndsTheVictimsSampling) {
  ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
  expect_given_back();
  EXPECT_EQ(drain(ann), WPERF_LOCK_LOST);
  EXPECT_EQ(ann.stop_sampling(), WPERF_LOCK_LOST);
  EXPECT_EQ(drain(bob), WPERF_WRONG_STATE) << "the preemptor sees nothing of the preempted client";
  ASSERT_EQ(bob.configure(sample_request({0}, {{1, 0, 2}})), WPERF_OK);
  ASSERT_EQ(bob.start_sampling(), WPERF_OK);
  EXPECT_EQ(drain(bob), WPERF_OK);
}

TEST_F(SamplingTenure, ReleaseGivesEverythingBack) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
  expect_given_back();
  EXPECT_EQ(drain(ann), WPERF_LOCK_NEEDED);
}

TEST_F(SamplingTenure, DeathReleases) {
  core.client_gone(22);
  EXPECT_EQ(hal.cores[0].interrupts, 0x3u) << "somebody else died";
  core.client_gone(11);
  expect_given_back();
}

TEST_F(SamplingTenure, ForceFromAnotherProcessIsNoticedAtTheNextRequest) {
  lock.holder = 33;
  lock.preempted[0] = 11;
  EXPECT_EQ(drain(ann), WPERF_LOCK_LOST);
  expect_given_back();
}

TEST_F(SamplingTenure, ShutdownWhileSamplingGivesEverythingBack) {
  core.shutdown();
  expect_given_back();
  core.on_overflow(0, {});
  core.on_overflow(~0u, {});
}

}  // namespace
}  // namespace wperf::driver
