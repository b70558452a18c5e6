// SPDX-License-Identifier: BSD-3-Clause
// Samples of other people's processes: who sees them, and how they are accounted for.
#include "driver/core/visibility_filter.h"

#include <gtest/gtest.h>

#include "driver/core/sampling_fixture.h"

namespace wperf::driver {
namespace {

class Onlooking : public Sampling {
 protected:
  Onlooking() {
    hal.on_interrupt = [this](u32 number) {
      // Three processes take turns.
      core.on_overflow(number, {steps[number], 0, 100 + static_cast<u32>(steps[number]) % 3, 1, 0});
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

TEST(VisibilityFilter, ManyProcessesAreJudgedEachByItself) {
  FakeHal hal;
  WperfSample samples[200] = {};
  for (u32 i = 0; i < 200; ++i) {
    samples[i].process = i * 7 % 50;
    samples[i].pc = i;
  }
  for (u32 process = 0; process < 50; process += 2) {
    hal.hidden_processes.insert(process);
  }
  VisibilityFilter visibility(hal, 5, false);
  const VisibilityFilter::Visible visible =
      visibility.keep_visible(reinterpret_cast<u64*>(samples), 200 * kSampleWords);
  ASSERT_EQ(visible.count, 100u);
  ASSERT_EQ(visible.words, 100u * kSampleWords);
  for (u32 i = 0; i < 100; ++i) {
    EXPECT_EQ(samples[i].process % 2, 1u);
    EXPECT_EQ(samples[i].process, samples[i].pc * 7 % 50);
  }
}

TEST(VisibilityFilter, StacksGoWithTheirSamplesAndTheKernelIsNobodys) {
  FakeHal hal;
  hal.hidden_processes = {8};
  std::vector<u64> records;
  for (u32 i = 0; i < 60; ++i) {
    WperfSample sample = {};
    sample.pc = i;
    sample.process = 7 + i % 2;
    sample.exception_level = i % 3 == 0 ? 1 : 0;
    sample.stack_words = static_cast<u8>(i % 5);
    records.resize(records.size() + kSampleWords);
    std::memcpy(records.data() + records.size() - kSampleWords, &sample, sizeof sample);
    records.insert(records.end(), sample.stack_words, i);
  }
  VisibilityFilter visibility(hal, 5, false);
  const VisibilityFilter::Visible visible = visibility.keep_visible(records.data(), static_cast<u32>(records.size()));
  ASSERT_EQ(visible.count, 20u);
  u32 at = 0;
  for (u32 i = 0; i < 60; ++i) {
    if (i % 2 != 0 || i % 3 == 0) {
      continue;
    }
    WperfSample sample;
    std::memcpy(&sample, records.data() + at, sizeof sample);
    EXPECT_EQ(sample.pc, i);
    at += kSampleWords;
    for (u32 word = 0; word < sample.stack_words; ++word, ++at) {
      EXPECT_EQ(records[at], i);
    }
  }
  EXPECT_EQ(visible.words, at);
  EXPECT_TRUE(std::all_of(records.begin() + at, records.end(), [](u64 word) { return word == 0; }));
}

}  // namespace
}  // namespace wperf::driver
