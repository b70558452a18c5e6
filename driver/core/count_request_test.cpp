// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/count_request.h"

#include <gtest/gtest.h>

#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

HardwareFacts machine() {
  HardwareFacts machine;
  machine.core_count = 8;
  machine.cluster_count = 4;
  machine.cluster_size = 2;
  machine.counters_total = 6;
  machine.free_mask = 0x3f;
  machine.dsu_counters = 6;
  machine.every_core_counts = true;
  return machine;
}
constexpr u32 kChannels = 2;

WperfStatus check(const WperfCountRequest& request, bool administrator = false) {
  return check_count_request(request, machine(), kChannels, administrator);
}
std::vector<u16> some_events(usize count) {
  return std::vector<u16>(count, 0x1b);
}

TEST(CountRequest, OrdinaryOnesPass) {
  WperfCountRequest request = count_request({0, 7}, {0x8, 0x11, 0x1b, 0x70, 0x71, 0x73, 0x74});
  set_events(request, EventClass::dsu, {0x2b, 0x2a});
  set_events(request, EventClass::dmc_clk, {0, 1, 2});
  set_events(request, EventClass::dmc_clkdiv2, {0x12});
  EXPECT_EQ(check(request), WPERF_OK);
}

TEST(CountRequest, KernelIsForAdministrators) {
  WperfCountRequest request = count_request({0}, {0x8});
  request.flags = WPERF_COUNT_KERNEL;
  EXPECT_EQ(check(request, false), WPERF_ACCESS_DENIED);
  EXPECT_EQ(check(request, true), WPERF_OK);
  for (u32 bit = 1; bit < 32; ++bit) {
    request.flags = 1u << bit;
    EXPECT_EQ(check(request, true), WPERF_BAD_ARGUMENT) << bit;
  }
}

TEST(CountRequest, OnlyCoresThatExist) {
  EXPECT_EQ(check(count_request({7}, {0x8})), WPERF_OK);
  EXPECT_EQ(check(count_request({8}, {0x8})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(check(count_request({0, 255}, {0x8})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(check(count_request({}, {0x8})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(check(count_request({}, {})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(check(count_request({0}, {})), WPERF_OK) << "cycles only";
  WperfCountRequest memory_only = count_request({}, {});
  set_events(memory_only, EventClass::dmc_clkdiv2, {0x12});
  EXPECT_EQ(check(memory_only), WPERF_OK) << "memory channels need no core";
}

TEST(CountRequest, EventCountsHaveLimits) {
  EXPECT_EQ(check(count_request({0}, some_events(127))), WPERF_OK);
  EXPECT_EQ(check(count_request({0}, some_events(128))), WPERF_BAD_ARGUMENT);
  const std::pair<EventClass, u32> limits[] = {
      {EventClass::dsu, 32}, {EventClass::dmc_clk, 4}, {EventClass::dmc_clkdiv2, 8}};
  for (const auto& [event_class, limit] : limits) {
    WperfCountRequest request = count_request({0}, {});
    set_events(request, event_class, std::vector<u16>(limit, 1));
    EXPECT_EQ(check(request), WPERF_OK);
    for (const u32 count : {limit + 1, 0x8000'0000u, ~0u}) {
      request.entry_count[index_of(event_class)] = count;
      EXPECT_EQ(check(request), WPERF_BAD_ARGUMENT) << count;
    }
  }
}

TEST(CountRequest, UncoreMustBeThere) {
  WperfCountRequest dsu = count_request({0}, {});
  set_events(dsu, EventClass::dsu, {0x2b});
  HardwareFacts without = machine();
  without.cluster_count = 0;
  EXPECT_EQ(check_count_request(dsu, without, kChannels, false), WPERF_NOT_SUPPORTED);
  without = machine();
  without.dsu_counters = 0;
  EXPECT_EQ(check_count_request(dsu, without, kChannels, false), WPERF_NO_COUNTERS);

  WperfCountRequest dmc = count_request({0}, {});
  set_events(dmc, EventClass::dmc_clk, {1});
  EXPECT_EQ(check_count_request(dmc, machine(), 0, false), WPERF_NOT_SUPPORTED);
  dmc.dmc_channel = 1;
  EXPECT_EQ(check(dmc), WPERF_OK);
  dmc.dmc_channel = 2;
  EXPECT_EQ(check(dmc), WPERF_BAD_ARGUMENT);
  dmc.dmc_channel = WPERF_ALL_CHANNELS;
  dmc.dmc_clk[0].event = 0x20;
  EXPECT_EQ(check(dmc), WPERF_BAD_ARGUMENT) << "would reach other fields of CONTROL";
}

TEST(CountRequest, GroupsMustNotStraddle) {
  WperfCountRequest request = count_request({0}, some_events(12));
  request.core[5].group = request.core[6].group = 0;
  EXPECT_EQ(check(request), WPERF_BAD_ARGUMENT);
  request.core[5].group = WPERF_NO_GROUP;
  request.core[7].group = 0;
  EXPECT_EQ(check(request), WPERF_OK);
  WperfCountRequest dsu = count_request({0}, {});
  set_events(dsu, EventClass::dsu, some_events(7));
  dsu.dsu[0].group = dsu.dsu[1].group = 4;
  EXPECT_EQ(check(dsu), WPERF_BAD_ARGUMENT) << "the rule holds for every class";
}

TEST(CountRequest, ReservedFieldIsZero) {
  WperfCountRequest request = count_request({0}, {0x8});
  request.reserved = 1;
  EXPECT_EQ(check(request), WPERF_BAD_ARGUMENT);
}

TEST(CountRequest, PeriodOutsideItsRangeIsTheDefault) {
  WperfCountRequest request = {};
  const std::pair<u32, u32> cases[] = {{0, 100}, {9, 100}, {10, 10}, {13, 13}, {100, 100}, {101, 100}, {~0u, 100}};
  for (const auto& [asked, used] : cases) {
    request.period_ms = asked;
    EXPECT_EQ(period_of(request), used) << asked;
  }
}

}  // namespace
}  // namespace wperf::driver
