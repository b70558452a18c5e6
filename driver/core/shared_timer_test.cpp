// SPDX-License-Identifier: BSD-3-Clause
// One timer for two users: how many ticks each gets, and what remains after the hal refuses.
#include "driver/core/shared_timer.h"

#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"

namespace wperf::driver {
namespace {

constexpr TimerUser kCounting = TimerUser::counting, kProfiling = TimerUser::profiling;

class Shared : public testing::Test {
 protected:
  ~Shared() override { EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]); }
  // Returns how many of `count` ticks each user gets.
  std::pair<u32, u32> ticks(u32 count) {
    std::pair<u32, u32> due;
    for (u32 i = 0; i < count; ++i) {
      const SharedTimer::Due now = timer.tick();
      due.first += now.counting ? 1 : 0;
      due.second += now.profiling ? 1 : 0;
    }
    return due;
  }
  FakeHal hal;
  SharedTimer timer{hal};
};

TEST_F(Shared, AloneEveryTickIsMine) {
  EXPECT_EQ(ticks(3), std::pair(0u, 0u)) << "a late tick is nobody's";
  ASSERT_EQ(timer.start(kCounting, 200), WPERF_OK);
  EXPECT_EQ(hal.timer_ms, 200u);
  EXPECT_EQ(ticks(5), std::pair(5u, 0u));
  timer.stop(kCounting);
  EXPECT_EQ(hal.timer_ms, 0u);
  EXPECT_EQ(ticks(5), std::pair(0u, 0u));
}

TEST_F(Shared, TimerRunsAtShorterPeriodAndSlowerSessionKeepsItsOwn) {
  for (const auto& [period, expected] : {std::pair(10u, 100u), {15u, 66u}, {20u, 50u}, {33u, 30u}, {200u, 5u}}) {
    ASSERT_EQ(timer.start(kCounting, period), WPERF_OK);
    ASSERT_EQ(timer.start(kProfiling, 10), WPERF_OK);
    EXPECT_EQ(hal.timer_ms, 10u);
    EXPECT_EQ(ticks(100), std::pair(expected, 100u)) << period;
    timer.stop(kProfiling);
    EXPECT_EQ(ticks(100).second, 0u);
    timer.stop(kCounting);
    EXPECT_EQ(hal.timer_ms, 0u);
  }
  ASSERT_EQ(timer.start(kProfiling, 10), WPERF_OK);
  ASSERT_EQ(timer.start(kCounting, 40), WPERF_OK) << "the other way round";
  EXPECT_EQ(ticks(100), std::pair(25u, 100u));
  timer.stop(kCounting);
  EXPECT_EQ(ticks(10), std::pair(0u, 10u));
  timer.stop(kProfiling);
}

TEST_F(Shared, RefusedStartKeepsTicksOfRunningSession) {
  hal.fail_at = 1;
  EXPECT_EQ(timer.start(kProfiling, 10), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(hal.timer_ms, 0u);
  ASSERT_EQ(timer.start(kCounting, 100), WPERF_OK);
  hal.fail_at = 1;
  EXPECT_EQ(timer.start(kProfiling, 10), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(hal.timer_ms, 100u);
  EXPECT_EQ(ticks(10), std::pair(10u, 0u));
  timer.stop(kCounting);
}

}  // namespace
}  // namespace wperf::driver
