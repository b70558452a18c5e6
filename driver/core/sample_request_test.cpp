// SPDX-License-Identifier: BSD-3-Clause
// The requests that are refused, and the plan that follows from an accepted one.
#include "driver/core/sample_request.h"

#include <gtest/gtest.h>

#include <functional>

#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

HardwareFacts machine_with(u32 counters) {
  HardwareFacts machine;
  machine.core_count = 8;
  machine.every_core_counts = true;
  const u8 map[] = {1, 3, 5};
  for (u32 i = 0; i < 32; ++i) {
    machine.counter_map[i] = i < counters ? map[i] : kNoCounter;
    machine.free_mask |= i < counters ? 1u << map[i] : 0;
  }
  return machine;
}

TEST(SampleRequest, RefusalsNameTheirReason) {
  struct Row {
    const char* what;
    std::function<void(WperfSampleRequest&)> bend;
    WperfStatus status;
  };
  const Row rows[] = {
      {"as it is", [](auto&) {}, WPERF_OK},
      {"unknown flag", [](auto& r) { r.flags = 4; }, WPERF_BAD_ARGUMENT},
      {"no event", [](auto& r) { r.event_count = 0; }, WPERF_BAD_ARGUMENT},
      {"32 events", [](auto& r) { r.event_count = 32; }, WPERF_BAD_ARGUMENT},
      {"very many events", [](auto& r) { r.event_count = ~0u; }, WPERF_BAD_ARGUMENT},
      {"interval 0", [](auto& r) { r.events[1].interval = 0; }, WPERF_BAD_ARGUMENT},
      {"greatest interval", [](auto& r) { r.events[1].interval = ~0u; }, WPERF_OK},
      {"interval 0 of no event", [](auto& r) { r.events[3].interval = 0; }, WPERF_OK},
      {"reserved of an event", [](auto& r) { r.events[0].reserved = 1; }, WPERF_BAD_ARGUMENT},
      {"no core", [](auto& r) { r.core_mask[0] = 0; }, WPERF_BAD_ARGUMENT},
      {"all cores", [](auto& r) { r.core_mask[0] = 0xff; }, WPERF_OK},
      {"a core that is not there", [](auto& r) { r.core_mask[0] = 0x101; }, WPERF_BAD_ARGUMENT},
      {"a core far beyond", [](auto& r) { r.core_mask[3] = u64{1} << 63; }, WPERF_BAD_ARGUMENT},
      {"jitter", [](auto& r) { r.flags = WPERF_SAMPLE_JITTER, r.jitter_shift = 31; }, WPERF_OK},
      {"jitter by everything", [](auto& r) { r.flags = WPERF_SAMPLE_JITTER; }, WPERF_BAD_ARGUMENT},
      {"jitter by nothing", [](auto& r) { r.flags = WPERF_SAMPLE_JITTER, r.jitter_shift = 32; }, WPERF_BAD_ARGUMENT},
      {"shift without jitter", [](auto& r) { r.jitter_shift = 32; }, WPERF_BAD_ARGUMENT},
      {"any ring", [](auto& r) { r.ring_samples = ~0u; }, WPERF_OK},
      {"cycles twice", [](auto& r) { r.events[0] = {0x11, 0, 1}; }, WPERF_OK},
      {"four counters", [](auto& r) { r.event_count = 4, r.events[3] = {9, 0, 1}; }, WPERF_NO_COUNTERS},
  };
  for (const Row& row : rows) {
    WperfSampleRequest request = sample_request({0, 7}, {{0x8, 0, 1000}, {0x1b, 0, 1}, {0x11, 0, 5}});
    row.bend(request);
    EXPECT_EQ(check_sample_request(request, machine_with(3), true), row.status) << row.what;
    EXPECT_EQ(check_sample_request(request, machine_with(3), false), row.status) << row.what;
  }
}

TEST(SampleRequest, TheKernelIsTheAdministrators) {
  WperfSampleRequest request = sample_request({0}, {{0x8, 0, 1000}});
  request.flags = WPERF_SAMPLE_KERNEL;
  EXPECT_EQ(check_sample_request(request, machine_with(3), false), WPERF_ACCESS_DENIED);
  EXPECT_EQ(check_sample_request(request, machine_with(3), true), WPERF_OK);
}

TEST(SampleRequest, WithoutFreeCountersNothingIsSampled) {
  EXPECT_EQ(check_sample_request(sample_request({0}, {{0x11, 0, 9}}), machine_with(0), false), WPERF_NO_COUNTERS);
  EXPECT_EQ(check_sample_request(sample_request({0}, {{0x8, 0, 9}}), machine_with(0), false), WPERF_NO_COUNTERS);
}

TEST(SampleRequest, CoresWithoutPmuCannotSample) {
  HardwareFacts machine = machine_with(3);
  machine.every_core_counts = false;
  EXPECT_EQ(check_sample_request(sample_request({0}, {{0x11, 0, 9}}), machine, true), WPERF_NOT_SUPPORTED);
}

TEST(SampleRequest, PlanGivesCountersInOrder) {
  const SamplePlan plan = plan_of(sample_request({0}, {{0x8, 0, 7}, {0x11, 0, 5}, {0x1b, 0, 1}}), machine_with(3));
  EXPECT_EQ(plan.event_count, 3u);
  const u8 counters[] = {1, 3, 5};
  const u32 intervals[] = {7, 5, 1};
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(plan.counters[i], counters[i]) << i;
    EXPECT_EQ(plan.intervals[i], intervals[i]) << i;
  }
  EXPECT_EQ(plan.counter_mask, 0x2au);
  EXPECT_FALSE(plan.kernel);
  EXPECT_EQ(plan.jitter_shift, 0u);
}

TEST(SampleRequest, RingsArePowersOfTwoWithinBounds) {
  const auto ring = [](u32 asked, u32 cores) {
    WperfSampleRequest request = {};
    request.ring_samples = asked;
    for (u32 core = 0; core < cores; ++core) {
      request.core_mask[core / 64] |= u64{1} << (core % 64);
    }
    return ring_samples_of(request);
  };
  EXPECT_EQ(ring(0, 1), 32768u);
  EXPECT_EQ(ring(1, 1), 1u);
  EXPECT_EQ(ring(1000, 1), 1024u);
  EXPECT_EQ(ring(1024, 1), 1024u);
  EXPECT_EQ(ring(1025, 1), 2048u);
  EXPECT_EQ(ring(~0u, 1), 131'072u);
  EXPECT_EQ(ring(~0u, 64), 131'072u);
  EXPECT_EQ(ring(~0u, 65), 65'536u);
  EXPECT_EQ(ring(~0u, 256), 32'768u);
  EXPECT_EQ(ring(0, 256), 32'768u) << "the default holds on the largest machine";
}

}  // namespace
}  // namespace wperf::driver
