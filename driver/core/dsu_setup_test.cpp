// SPDX-License-Identifier: BSD-3-Clause
// A client sets which cores share a DSU: which settings are accepted or refused, and how long they stay in effect.
#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

class DsuSetup : public testing::Test {
 protected:
  DsuSetup() { EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }
  ~DsuSetup() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  WperfStatus set_up(u32 count, u32 size) {
    return ann.send(WPERF_CODE_DSU_SETUP, WperfDsuSetupRequest{{}, count, size});
  }
  std::pair<u32, u32> clusters() {
    WperfHardwareReply reply = {};
    EXPECT_EQ(ann.hardware(reply), WPERF_OK);
    EXPECT_EQ(reply.dsu_counters != 0, reply.cluster_count != 0);
    return {reply.cluster_count, reply.cluster_size};
  }

  FakeHal hal;  // four cores in two clusters of two
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
};
using Clusters = std::pair<u32, u32>;

TEST_F(DsuSetup, OverridesDetectedTopology) {
  EXPECT_EQ(clusters(), Clusters(2, 2));
  ASSERT_EQ(set_up(1, 4), WPERF_OK);
  EXPECT_EQ(clusters(), Clusters(1, 4));
  WperfCoreReply reply = {};
  ASSERT_EQ(ann.ask(WPERF_CODE_CORE, WperfCoreRequest{{}, 3, 0}, reply), WPERF_OK);
  EXPECT_EQ(reply.cluster, 0u);
  ASSERT_EQ(set_up(0, 0), WPERF_OK);
  EXPECT_EQ(clusters(), Clusters(0, 0));
  ASSERT_EQ(set_up(2, 2), WPERF_OK);
  EXPECT_EQ(clusters(), Clusters(2, 2));
}

TEST_F(DsuSetup, IsRemovedWithItsClient) {
  for (const u32 way : {0, 1, 2}) {
    ASSERT_EQ(set_up(1, 4), WPERF_OK);
    TestClient bob(core, 12 + way, false);
    if (way == 0) {
      ASSERT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
    } else if (way == 1) {
      core.client_gone(11);
    }
    ASSERT_EQ(bob.lock(way == 2 ? WPERF_LOCK_FORCE : WPERF_LOCK_ACQUIRE), WPERF_OK);
    WperfHardwareReply reply = {};
    ASSERT_EQ(bob.hardware(reply), WPERF_OK);
    EXPECT_EQ(reply.cluster_count, 2u) << "what the machine says of itself";
    EXPECT_EQ(bob.send(WPERF_CODE_DSU_SETUP, WperfDsuSetupRequest{{}, 2, 2}), WPERF_ACCESS_DENIED);
    ASSERT_EQ(ann.lock(WPERF_LOCK_FORCE), WPERF_OK);
    EXPECT_EQ(clusters(), Clusters(2, 2));
  }
}

// Four cores in two of three clusters, and then a fifth core.
TEST(DsuSetupOfAMachineThatGrows, ClustersOfBeforeDoNotKeepTheNextClientOut) {
  FakeMachine machine;
  machine.cluster_count = 3;
  FakeHal hal(machine);
  LockState lock;
  Core core(hal, lock, {});
  TestClient ann(core, 11);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  ASSERT_EQ(ann.send(WPERF_CODE_DSU_SETUP, WperfDsuSetupRequest{{}, 1, 4}), WPERF_OK);
  hal.add_core();
  EXPECT_EQ(ann.send(WPERF_CODE_DSU_SETUP, WperfDsuSetupRequest{{}, 1, 5}), WPERF_BAD_ARGUMENT) << "reserved are four";
  ASSERT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  WperfHardwareReply reply = {};
  ASSERT_EQ(ann.hardware(reply), WPERF_OK);
  EXPECT_EQ(reply.core_count, 5u);
  EXPECT_EQ(ann.send(WPERF_CODE_DSU_SETUP, WperfDsuSetupRequest{{}, 1, 5}), WPERF_OK);
  core.shutdown();
  EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
}

TEST_F(DsuSetup, ClustersMustBeAllTheCores) {
  const Clusters impossible[] = {{1, 1}, {1, 3},   {1, 5},   {3, 1},   {2, 0},     {0, 2},   {2, 4},
                                 {5, 1}, {~0u, 4}, {4, ~0u}, {0, ~0u}, {~0u, ~0u}, {129, 1}, {1u << 31, 1u << 31}};
  for (const auto& [count, size] : impossible) {
    EXPECT_EQ(set_up(count, size), WPERF_BAD_ARGUMENT) << count << " of " << size;
  }
  EXPECT_EQ(clusters(), Clusters(2, 2));
}

TEST_F(DsuSetup, EveryClusterMustHaveOne) {
  hal.cores_without_cluster = {2};
  EXPECT_EQ(set_up(2, 2), WPERF_NOT_SUPPORTED);
  EXPECT_EQ(clusters(), Clusters(2, 2)) << "what was known stays";
  EXPECT_EQ(set_up(1, 4), WPERF_OK) << "one core of each is asked";
}

TEST_F(DsuSetup, UnreachableCoresChangeNothing) {
  ASSERT_EQ(clusters(), Clusters(2, 2));
  hal.offline = {2};
  EXPECT_EQ(set_up(2, 2), WPERF_HARDWARE_FAILED);
  hal.offline = {3};  // the client asks for no clusters, but the identity is read again
  EXPECT_EQ(set_up(1, 4), WPERF_HARDWARE_FAILED);
  hal.offline.clear();
  EXPECT_EQ(clusters(), Clusters(2, 2));
}

TEST_F(DsuSetup, NotWhileMeasuring) {
  ASSERT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  EXPECT_EQ(set_up(1, 4), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.stop(), WPERF_OK);
  ASSERT_EQ(ann.configure(sample_request({0}, {{0x8, 0, 100}})), WPERF_OK);
  ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  EXPECT_EQ(set_up(1, 4), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(set_up(1, 4), WPERF_OK);
}

TEST_F(DsuSetup, CountsOfTheOldClustersAreForgotten) {
  WperfCountRequest request = count_request({0, 1, 2, 3}, {});
  set_events(request, EventClass::dsu, {0x2b});
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(set_up(1, 4), WPERF_OK);
  WperfCountReply reply = {};
  EXPECT_EQ(ann.read(EventClass::dsu, 1, reply), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  EXPECT_EQ(ann.read(EventClass::dsu, 0, reply), WPERF_OK);
  EXPECT_EQ(ann.read(EventClass::dsu, 1, reply), WPERF_BAD_ARGUMENT);
}

TEST_F(DsuSetup, ASleepingMachineEndsMeasurements) {
  ASSERT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  const FakeEvents events = [](EventClass, u32, u32 event, bool) { return u64{event}; };
  hal.advance(1000, events);
  core.end_measurement();
  EXPECT_EQ(hal.timer_ms, 0u);
  hal.advance(1000, events);
  WperfCountReply reply = {};
  ASSERT_EQ(ann.read(EventClass::core, 0, reply), WPERF_OK);
  EXPECT_EQ(reply.entries[0].value, 8u);
  EXPECT_EQ(ann.stop(), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.configure(sample_request({0}, {{0x8, 0, 100}})), WPERF_OK);
  core.end_measurement();
  ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  core.end_measurement();
  EXPECT_EQ(hal.cores[0].interrupts, 0u);
  EXPECT_EQ(ann.stop_sampling(), WPERF_WRONG_STATE);
}

}  // namespace
}  // namespace wperf::driver
