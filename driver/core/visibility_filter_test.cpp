// SPDX-License-Identifier: BSD-3-Clause
// Samples of other users' processes: which users see them, and how they are counted.
#include "driver/core/visibility_filter.h"

#include <gtest/gtest.h>

#include "driver/core/sampling_fixture.h"

namespace wperf::driver {
namespace {

class Onlooking : public Sampling {
 protected:
  Onlooking() {
    hal.on_interrupt = [this](u32 number) {
      // Samples of three processes alternate.
      const u32 process = 100 + static_cast<u32>(steps[number]) % 3;
      core.on_overflow(number, {.pc = steps[number],
                                .lr = 0,
                                .process = process,
                                .thread = 1,
                                .exception_level = 0,
                                .process_start = starts[process]});
    };
    EXPECT_EQ(ann.lock(WPERF_LOCK_RELEASE), WPERF_OK);
  }
  void sample(TestClient& client, u64 count) {
    ASSERT_EQ(client.lock(WPERF_LOCK_FORCE), WPERF_OK);
    ASSERT_EQ(client.configure(sample_request({0}, {{10, 0, 10}})), WPERF_OK);
    ASSERT_EQ(client.start_sampling(), WPERF_OK);
    run(0, count);
    ASSERT_EQ(client.stop_sampling(), WPERF_OK);
  }
  TestClient user{core, 33, false};
  std::map<u32, u64> starts;
};

TEST_F(Onlooking, OthersProcessesAreHiddenAndCounted) {
  hal.hidden_processes = {101};
  sample(user, 30);
  ASSERT_EQ(user.drain(0, reply), WPERF_OK);
  EXPECT_EQ(reply.count, 20u);
  for (u32 i = 0; i < reply.count; ++i) {
    EXPECT_NE(reply.samples[i].process, 101u);
    EXPECT_TRUE(i == 0 || reply.samples[i - 1].pc < reply.samples[i].pc) << "still in order";
  }
  const WperfSample nothing = {};
  EXPECT_EQ(std::memcmp(&reply.samples[20], &nothing, sizeof nothing), 0) << "the hidden ones leave no trace";
  EXPECT_EQ(reply.taken, 30u);
  EXPECT_EQ(reply.lost_filtered, 10u);
  EXPECT_EQ(reply.lost_ring_full, 0u);
}

TEST_F(Onlooking, ProcessesAreAskedForOncePerDrain) {
  sample(user, 30);
  ASSERT_EQ(user.drain(0, reply), WPERF_OK);
  const std::vector<std::pair<ClientId, u32>> expected = {{33, 101}, {33, 102}, {33, 100}};
  EXPECT_EQ(hal.observations, expected);
}

TEST_F(Onlooking, AnAdministratorSeesAllWithoutAsking) {
  hal.hidden_processes = {100, 101, 102};
  sample(ann, 30);
  ASSERT_EQ(ann.drain(0, reply), WPERF_OK);
  EXPECT_EQ(reply.count, 30u);
  EXPECT_EQ(reply.lost_filtered, 0u);
  EXPECT_TRUE(hal.observations.empty());
}

TEST_F(Onlooking, HiddenSamplesAddUpOverDrains) {
  hal.hidden_processes = {100, 101, 102};
  sample(user, 3000);
  u32 drains = 0;
  do {
    ASSERT_EQ(user.drain(0, reply), WPERF_OK);
    EXPECT_EQ(reply.count, 0u);
    ++drains;
  } while (reply.more != 0);
  EXPECT_EQ(drains, 3u) << "an answer without samples may have more behind it";
  EXPECT_EQ(reply.taken, 3000u);
  EXPECT_EQ(reply.lost_filtered, 3000u);
  sample(user, 3);
  ASSERT_EQ(user.drain(0, reply), WPERF_OK);
  EXPECT_EQ(reply.lost_filtered, 3u) << "since configure";
}

// A process of the user has the number of an ended process of another user.
TEST_F(Onlooking, ReusedProcessIdHidesSamplesOfFormerProcess) {
  starts = {{100, 7}, {101, 8}, {102, 9}};
  sample(user, 30);
  hal.process_starts = {{100, 7}, {101, 1008}};  // 102 has ended now
  ASSERT_EQ(user.drain(0, reply), WPERF_OK);
  EXPECT_EQ(reply.count, 10u);
  for (u32 i = 0; i < reply.count; ++i) {
    EXPECT_EQ(reply.samples[i].process, 100u);
  }
  EXPECT_EQ(reply.lost_filtered, 20u);
}

TEST_F(Onlooking, BothProcessesOfANumberAreJudgedEachByItself) {
  hal.process_starts = {{100, 2}, {101, 2}, {102, 2}};
  ASSERT_EQ(user.lock(WPERF_LOCK_FORCE), WPERF_OK);
  ASSERT_EQ(user.configure(sample_request({0}, {{10, 0, 10}})), WPERF_OK);
  ASSERT_EQ(user.start_sampling(), WPERF_OK);
  for (u64 turn = 1; turn <= 3; ++turn) {
    starts = {{100, turn}, {101, turn}, {102, turn}};
    run(0, 6);
  }
  ASSERT_EQ(user.stop_sampling(), WPERF_OK);
  ASSERT_EQ(user.drain(0, reply), WPERF_OK);
  EXPECT_EQ(reply.count, 6u);
  EXPECT_EQ(reply.lost_filtered, 12u);
}

RingSample of_process(u32 process, u32 exception_level = 0) {
  RingSample kept = {};
  kept.sample.process = process;
  kept.sample.exception_level = static_cast<u8>(exception_level);
  return kept;
}

TEST(VisibilityFilter, ManyProcessesAreJudgedEachByItself) {
  FakeHal hal;
  for (u32 process = 0; process < 50; process += 2) {
    hal.hidden_processes.insert(process);
  }
  VisibilityFilter visibility(hal, 5, false);
  for (u32 i = 0; i < 200; ++i) {
    const u32 process = i * 7 % 50;
    EXPECT_EQ(visibility.may_see(of_process(process)), process % 2 == 1);
  }
}

TEST(VisibilityFilter, KernelSamplesNeedAdministrator) {
  FakeHal hal;
  EXPECT_TRUE(VisibilityFilter(hal, 5, false).may_see(of_process(7)));
  EXPECT_FALSE(VisibilityFilter(hal, 5, false).may_see(of_process(7, 1)));
  EXPECT_TRUE(VisibilityFilter(hal, 5, true).may_see(of_process(7, 1)));
}

}  // namespace
}  // namespace wperf::driver
