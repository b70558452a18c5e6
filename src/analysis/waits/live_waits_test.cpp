// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/live_waits.h"

#include <gtest/gtest.h>

#include <numeric>

#include "analysis/waits/played_machine_test.h"

namespace wperf::waits {
namespace {

stacks::Switch leaves(u64 time, u32 thread, u32 sample) {
  stacks::Switch one = change(time, 0, thread, stacks::Leaving::waits, stacks::kIdleThread);
  one.sample = sample;
  return one;
}

TEST(LiveWaits, AWaitOfThreeLooksKnowsItsPlaceInAll) {
  LiveWaits live;
  std::vector<WaitPart> parts = live.take({leaves(40, 7, 3)}, 0, 100);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].thread, 7u);
  EXPECT_EQ(parts[0].sample, 3u);
  EXPECT_EQ(parts[0].length, 60u);
  EXPECT_TRUE(parts[0].begins);
  EXPECT_TRUE(parts[0].lasts);
  parts[0].place = 11;
  live.keep(parts);

  parts = live.take({}, 100, 200);  // an interval without records
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].length, 100u);
  EXPECT_EQ(parts[0].place, 11u);
  EXPECT_FALSE(parts[0].begins);
  EXPECT_TRUE(parts[0].lasts);
  live.keep(parts);

  parts = live.take({change(230, 1, stacks::kIdleThread, stacks::Leaving::preempted, 7), leaves(250, 8, 5)}, 200, 300);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].length, 30u);
  EXPECT_EQ(parts[0].place, 11u);
  EXPECT_FALSE(parts[0].lasts);
  EXPECT_EQ(parts[1].thread, 8u);
  EXPECT_EQ(parts[1].sample, 5u);
  live.keep(parts);

  parts = live.take({}, 300, 400);
  ASSERT_EQ(parts.size(), 1u) << "the first one is over";
  EXPECT_EQ(parts[0].thread, 8u);
  EXPECT_EQ(parts[0].place, kNoPlace);
}

TEST(LiveWaits, WhatWasForgottenIsNotGuessed) {
  LiveWaits live;
  live.keep(live.take({leaves(40, 7, 3)}, 0, 100));
  live.forget();
  EXPECT_TRUE(live.take({}, 100, 200).empty());
  EXPECT_TRUE(live.take({change(230, 1, stacks::kIdleThread, stacks::Leaving::preempted, 7)}, 200, 300).empty());
}

TEST(LiveWaits, PreemptionIsNotAWait) {
  LiveWaits live;
  EXPECT_TRUE(
      live.take({change(40, 0, 7, stacks::Leaving::preempted, 8), change(50, 0, 8, stacks::Leaving::ended, 7)}, 0, 100)
          .empty());
}

TEST(LiveWaits, LateNewsCountFromTheBeginningOn) {
  LiveWaits live;
  const std::vector<WaitPart> parts = live.take({leaves(90, 7, 3)}, 100, 200);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].length, 100u);
}

// The sum of the waits must not depend on how time is divided into intervals.
TEST(LiveWaits, LooksAddUp) {
  std::vector<stacks::Switch> all;
  for (u32 i = 0; i < 20; ++i) {
    all.push_back(leaves(i * 97 + 10, i % 3 + 1, i));
    all.push_back(change(i * 97 + 60, 0, stacks::kIdleThread, stacks::Leaving::preempted, (i + 1) % 3 + 1));
  }
  const auto total = [](const std::vector<WaitPart>& parts) {
    return std::accumulate(parts.begin(), parts.end(), u64{0},
                           [](u64 sum, const WaitPart& one) { return sum + one.length; });
  };
  LiveWaits whole, cut;
  u64 in_cuts = 0;
  for (u64 begin = 0; begin < 2000; begin += 80) {
    std::vector<stacks::Switch> some;
    for (const stacks::Switch& one : all) {
      if (one.time >= begin && one.time < begin + 80) some.push_back(one);
    }
    const std::vector<WaitPart> parts = cut.take(some, begin, begin + 80);
    in_cuts += total(parts);
    cut.keep(parts);
  }
  EXPECT_GT(in_cuts, 0u);
  EXPECT_EQ(in_cuts, total(whole.take(all, 0, 2000)));
}

}  // namespace
}  // namespace wperf::waits
