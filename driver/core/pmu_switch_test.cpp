// SPDX-License-Identifier: BSD-3-Clause
// The enable bit of a PMU that was off: it is on while this driver measures, and stays on for users who have begun to
// count meanwhile.
#include "driver/core/pmu_switch.h"

#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

constexpr u64 kOfWindows = u64{1} << kCycleCounter;
constexpr u64 kOfOthers = u64{1} << 5;  // of the core; the driver has counters 0 to 2

class PmuSwitch : public testing::Test {
 protected:
  PmuSwitch() {
    hal.cores[0].pmcr &= ~kPmcrEnable;
    hal.cores[0].enabled = 0;
    EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  }
  ~PmuSwitch() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  void begin(bool samples) {
    const WperfStatus status =
        samples ? ann.configure(sample_request({0}, {{8, 0, 100'000}})) : ann.configure(count_request({0}, {8}));
    ASSERT_EQ(status, WPERF_OK);
    ASSERT_EQ(samples ? ann.start_sampling() : ann.start(), WPERF_OK);
    EXPECT_NE(hal.cores[0].pmcr & kPmcrEnable, 0u);
  }
  void end(bool samples) { ASSERT_EQ(samples ? ann.stop_sampling() : ann.stop(), WPERF_OK); }

  static FakeMachine machine() {
    FakeMachine machine;
    machine.reserved_mask = 7;
    return machine;
  }
  FakeHal hal{machine()};
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
};

TEST_F(PmuSwitch, IsOffAgainIfNobodyElseHasBegun) {
  for (const bool samples : {false, true}) {
    begin(samples);
    end(samples);
    EXPECT_EQ(hal.cores[0].pmcr & kPmcrEnable, 0u);
  }
}

TEST_F(PmuSwitch, StaysOnForCountersThatOthersHaveBegun) {
  for (const bool samples : {false, true}) {
    for (const u64 begun : {kOfWindows, kOfOthers}) {
      begin(samples);
      hal.cores[0].enabled |= begun;
      end(samples);
      EXPECT_NE(hal.cores[0].pmcr & kPmcrEnable, 0u) << begun;
      EXPECT_EQ(hal.cores[0].enabled, begun);
      hal.cores[0].pmcr &= ~kPmcrEnable;
      hal.cores[0].enabled = 0;
    }
  }
}

TEST_F(PmuSwitch, OfAClusterStaysOnForOthersToo) {
  WperfCountRequest request = count_request({0}, {});
  set_events(request, EventClass::dsu, {0x2b});
  const u64 found = hal.clusters[0].pmcr;
  for (const u64 begun : {u64{0}, kOfWindows}) {
    ASSERT_EQ(ann.configure(request), WPERF_OK);
    ASSERT_EQ(ann.start(), WPERF_OK);
    hal.clusters[0].enabled |= begun;
    hal.clusters[0].pmcr |= kPmcrDivideCycles;  // another user's setting
    ASSERT_EQ(ann.stop(), WPERF_OK);
    EXPECT_EQ(hal.clusters[0].pmcr, found | kPmcrDivideCycles | (begun != 0 ? kPmcrEnable : 0));
  }
}

}  // namespace
}  // namespace wperf::driver
