// SPDX-License-Identifier: BSD-3-Clause
// The addresses of samples, their contents, and the restored registers.
#include "driver/core/sampling_fixture.h"

namespace wperf::driver {
namespace {

using Events = std::vector<WperfSampleEvent>;

struct Width {
  const char* name;
  u32 pmu_version;
  u64 pmcr;  // as another user left it
};
std::ostream& operator<<(std::ostream& out, const Width& width) {
  return out << width.name;
}

class SamplingWidths : public Sampling, public testing::WithParamInterface<Width> {
 protected:
  static FakeMachine machine() {
    FakeMachine machine;
    machine.pmu_version = GetParam().pmu_version;
    return machine;
  }
  SamplingWidths() : Sampling(machine()) {
    for (FakePmu& pmu : hal.cores) {
      pmu.pmcr |= GetParam().pmcr;
    }
  }
};

TEST_P(SamplingWidths, PositionsAreExact) {
  const Events events = {{1, 0, 97}, {3, 0, 100}, {0x11, 0, 1000}, {40, 0, 4001}, {0x11, 0, 333}};
  begin(sample_request({0, 2}, events));
  run(0, 20'000);
  run(1, 500);
  run(2, 10'000);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  const Expected expected = expected_samples(events, 20'000);
  ASSERT_GT(expected.samples.size(), 1000u);
  EXPECT_EQ(positions(drain(0)), expected.samples);
  EXPECT_EQ(reply.taken, expected.samples.size());
  EXPECT_EQ(reply.lost_ring_full + reply.lost_filtered + reply.merged, 0u);
  EXPECT_EQ(positions(drain(2)), expected_samples(events, 10'000).samples);
  EXPECT_EQ(ann.drain(1, reply), WPERF_BAD_ARGUMENT) << "not a chosen core";
}

TEST_P(SamplingWidths, GreatIntervals) {
  const Events events = {{1, 0, 0xffff'ffff}, {3, 0, 0x8000'0001}, {0x11, 0, 0xffff'fffe}};
  constexpr u64 kRate = 0x0765'4321;
  begin(sample_request({0}, events));
  run(0, 2000, kRate);
  const Expected expected = expected_samples(events, 2000, kRate);
  EXPECT_EQ(positions(drain(0)), expected.samples);
  EXPECT_EQ(reply.merged, 0u);
}

// An interrupt that is late by many intervals makes one sample. The other intervals are counted as merged, and the next
// sample is due as if every interrupt had been in time.
TEST_P(SamplingWidths, ShortIntervalsMergeAndStayInStep) {
  const Events events = {{7, 0, 3}, {8, 0, 8}, {9, 0, 10}, {0x11, 0, 5}, {20, 0, 1}};
  begin(sample_request({0}, events));
  run(0, 5000);
  const Expected expected = expected_samples(events, 5000);
  EXPECT_EQ(positions(drain(0)), expected.samples);
  EXPECT_EQ(reply.merged, expected.merged);
}

TEST_P(SamplingWidths, RegistersAreFoundAsTheyWere) {
  FakePmu& pmu = hal.cores[0];
  pmu.pmcr = (pmu.pmcr | kPmcrDivideCycles) & ~kPmcrEnable;
  pmu.types[0] = 0x8000'0021;
  pmu.types[5] = 0x23;
  pmu.interrupts = 0x8000'0003;
  pmu.enabled = 0x8000'0002;
  const std::vector<FakePmu> before = hal.cores;
  begin(sample_request({0, 1}, {{1, 0, 10}, {2, 0, 10}, {3, 0, 10}, {4, 0, 10}, {5, 0, 10}, {0x11, 0, 9}}));
  EXPECT_EQ(hal.cores[0].interrupts, 0x8000'003fu);
  EXPECT_EQ(hal.cores[0].pmcr, before[0].pmcr | kPmcrEnable);
  run(0, 100);
  run(1, 50);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_TRUE(hal.cores == before);
  EXPECT_EQ(hal.cores[0].overflow, 0u);
  EXPECT_FALSE(drain(0).empty());
}

INSTANTIATE_TEST_SUITE_P(, SamplingWidths,
                         testing::Values(Width{"v3p1", 4, 0}, Width{"v3p5", 6, 0},
                                         Width{"v3p5_long_events", 6, kPmcrLongEvents}),
                         testing::PrintToStringParamName());

TEST_F(Sampling, SamplesSayWhatWasInterrupted) {
  begin(sample_request({3}, {{2, 0, 5}}));
  const u64 start_ns = hal.now_ns;
  run(3, 3);
  const std::vector<WperfSample> samples = drain(3);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].time_ns, start_ns + 3 * kStepNs);
  EXPECT_EQ(samples[0].pc, 3u);
  EXPECT_EQ(samples[0].lr, ~u64{3});
  EXPECT_EQ(samples[0].process, 103u);
  EXPECT_EQ(samples[0].thread, 203u);
  EXPECT_EQ(samples[0].overflowed, 1u);
  EXPECT_EQ(samples[0].core, 3u);
  EXPECT_EQ(samples[0].exception_level, 0u);
}

TEST_F(Sampling, SkidIntoTheKernelIsFilteredAndCounted) {
  begin(sample_request({0}, {{1, 0, 10}}));
  for (u32 round = 0; round < 6; ++round) {
    exception_level = round % 3;  // the hypervisor's level is privileged, like the kernel's
    run(0, 10);
  }
  const std::vector<std::pair<u64, u32>> user = {{10, 1}, {40, 1}};
  EXPECT_EQ(positions(drain(0)), user);
  EXPECT_EQ(reply.taken, 6u);
  EXPECT_EQ(reply.lost_filtered, 4u);
  EXPECT_EQ(reply.lost_ring_full, 0u);
}

TEST_F(Sampling, KernelModeSamplesBothLevels) {
  WperfSampleRequest request = sample_request({0}, {{1, 0, 10}, {0x11, 0, 170}});
  request.flags = WPERF_SAMPLE_KERNEL;
  begin(request);
  exception_level = 1;
  for (u32 i = 0; i < 10; ++i) {  // half of the events happen in the kernel
    ++steps[0];
    hal.advance_core(0, kStepNs, [](EventClass, u32, u32 event, bool) { return event; });
  }
  const std::vector<WperfSample> samples = drain(0);
  const std::vector<std::pair<u64, u32>> both = {{5, 3}, {10, 3}};
  EXPECT_EQ(positions(samples), both);
  EXPECT_EQ(samples[0].exception_level, 1u);
  EXPECT_EQ(reply.lost_filtered, 0u);
}

TEST_F(Sampling, UserModeCountsNoKernelEvents) {
  begin(sample_request({0}, {{1, 0, 10}, {0x11, 0, 170}}));
  for (u32 i = 0; i < 25; ++i) {
    ++steps[0];
    hal.advance_core(0, kStepNs, [](EventClass, u32, u32 event, bool el1) { return el1 ? 1000 : event; });
  }
  const std::vector<std::pair<u64, u32>> user = {{10, 3}, {20, 3}};
  EXPECT_EQ(positions(drain(0)), user);
}

TEST_F(Sampling, JitterIsTheSeedsAndKeepsTheMean) {
  constexpr u32 kInterval = 64;
  constexpr u64 kSteps = 200'000;
  WperfSampleRequest request = sample_request({0, 1}, {{1, 0, kInterval}});
  request.flags = WPERF_SAMPLE_JITTER;
  request.jitter_shift = 2;
  const auto take = [&](u64 seed, u32 number) {
    request.seed = seed;
    begin(request);
    const u64 origin = steps[number];
    run(number, kSteps);
    EXPECT_EQ(ann.stop_sampling(), WPERF_OK);
    std::vector<u64> at;
    for (const WperfSample& sample : drain(number)) {
      at.push_back(sample.pc - origin);
    }
    return at;
  };
  const std::vector<u64> first = take(1, 0);
  EXPECT_EQ(take(1, 0), first);
  EXPECT_NE(take(2, 0), first);
  EXPECT_NE(take(1, 1), first);
  u64 last = 0;
  u64 least = ~u64{0};
  u64 most = 0;
  for (const u64 at : first) {
    least = std::min(least, at - last);
    most = std::max(most, at - last);
    last = at;
  }
  EXPECT_EQ(least, kInterval - kInterval / 4);
  EXPECT_EQ(most, kInterval + kInterval / 4);
  EXPECT_NEAR(static_cast<double>(last) / static_cast<double>(first.size()), kInterval, 0.7);
}

TEST_F(Sampling, TheCycleCounterCountsForItsOwnerAsIfNobodySampled) {
  begin(sample_request({0}, {{0x11, 0, 90}}));
  const u64 before = hal.cores[0].cycles;
  exception_level = 1;
  hal.advance_core(0, kStepNs, [](EventClass, u32, u32, bool el1) { return el1 ? u64{200'000} : 0; });
  EXPECT_EQ(hal.cores[0].cycles - before, 200'000u);
  exception_level = 0;
  run(0, 20);
  EXPECT_EQ(hal.cores[0].cycles - before, 200'000u + 20 * 0x11);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(hal.cores[0].cycles - before, 200'000u + 20 * 0x11);
  EXPECT_EQ(drain(0).size(), 20u * 0x11 / 90);
}

class SamplingAroundOthers : public Sampling {
 protected:
  static FakeMachine machine() {
    FakeMachine machine;
    machine.reserved_mask = 0x2a;  // the driver has 1, 3, 5
    return machine;
  }
  SamplingAroundOthers() : Sampling(machine()) {}
};

TEST_F(SamplingAroundOthers, ForeignCountersAndInterruptsAreNotOurs) {
  FakePmu& pmu = hal.cores[0];
  pmu.pmcr &= ~kPmcrLongCycles;
  pmu.enabled = 0x8000'0005;
  pmu.interrupts = 0x8000'0004;
  pmu.types[0] = 0x40;
  pmu.types[2] = 0x41;
  pmu.values[2] = 0xffff'ff00;
  pmu.cycles = 0xffff'ff00;
  hal.interrupts_of_others = 0x8000'0004;
  begin(sample_request({0}, {{1, 0, 100}, {2, 0, 150}, {3, 0, 7000}}));
  run(0, 1000);  // counter 2 and the cycle counter overflow, and their owner reacts late
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(positions(drain(0)), expected_samples({{1, 0, 100}, {2, 0, 150}, {3, 0, 7000}}, 1000).samples)
      << "a foreign interrupt is no sample";
  EXPECT_EQ(pmu.overflow, 0x8000'0004u) << "not ours to clear";
  EXPECT_EQ(pmu.enabled, 0x8000'0005u);
  EXPECT_EQ(pmu.interrupts, 0x8000'0004u);
  EXPECT_EQ(pmu.values[0], 1000 * 0x40u);
  EXPECT_EQ(pmu.cycles, u64{0xffff'ff00} + 1000 * 0x11) << "never written";
}

}  // namespace
}  // namespace wperf::driver
