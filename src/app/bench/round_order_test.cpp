// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench/round_order.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wperf::bench {
namespace {

TEST(RoundOrder, EachProgramIsFirstInHalfOfTheRounds) {
  for (u64 rounds = 0; rounds < 100; ++rounds) {
    const std::vector<bool> order = draw_order(rounds);
    ASSERT_EQ(order.size(), rounds);
    const u64 first = static_cast<u64>(std::count(order.begin(), order.end(), true));
    EXPECT_TRUE(first == rounds / 2 || first == (rounds + 1) / 2) << rounds;
  }
}

// The number of runs of the program before with an index that has this remainder.
u64 runs_at(const std::vector<bool>& order, u64 period, u64 remainder) {
  u64 runs = 0;
  for (u64 round = 0; round < order.size(); ++round) {
    const u64 place = 2 * round + (order[round] ? 0 : 1);
    runs += place % period == remainder ? 1 : 0;
  }
  return runs;
}

// In a fixed order ABBA, all runs of one program have the remainders 0 and 3.
TEST(RoundOrder, FollowsNoShortPeriod) {
  for (const u64 rounds : {u64{8}, u64{100}}) {
    const std::vector<bool> order = draw_order(rounds);
    for (const u64 period : {2, 4}) {
      for (u64 remainder = 0; remainder < period; ++remainder) {
        const u64 runs = runs_at(order, period, remainder), all = 2 * rounds / period;
        EXPECT_GE(4 * runs, all) << rounds << " rounds, " << remainder << " of " << period;
        EXPECT_LE(4 * runs, 3 * all) << rounds << " rounds, " << remainder << " of " << period;
      }
    }
  }
}

}  // namespace
}  // namespace wperf::bench
