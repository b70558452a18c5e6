// SPDX-License-Identifier: BSD-3-Clause
// A session's state: rings and their losses, start after stop, cores that go offline, interrupts at the worst time.
#include "driver/core/sample_session.h"

#include "driver/core/sampling_fixture.h"

namespace wperf::driver {
namespace {

using Positions = std::vector<std::pair<u64, u32>>;

TEST_F(Sampling, AFullRingLosesTheNewestAndCountsThem) {
  WperfSampleRequest request = sample_request({0}, {{1, 0, 1}});
  request.ring_samples = 10;
  begin(request);
  run(0, 50);
  std::vector<WperfSample> samples = drain(0);
  ASSERT_EQ(samples.size(), 16u) << "rounded up to a power of two";
  EXPECT_EQ(samples.front().pc, 1u);
  EXPECT_EQ(samples.back().pc, 16u);
  EXPECT_EQ(reply.taken, 50u);
  EXPECT_EQ(reply.lost_ring_full, 34u);
  run(0, 5);
  samples = drain(0);
  ASSERT_EQ(samples.size(), 5u);
  EXPECT_EQ(samples.front().pc, 51u);
  EXPECT_EQ(reply.taken, 55u);
  EXPECT_EQ(reply.lost_ring_full, 34u);
}

TEST_F(Sampling, AccountsAreExactWhateverTheRhythm) {
  WperfSampleRequest request = sample_request({0}, {{1, 0, 1}});
  request.ring_samples = 4;
  begin(request);
  u64 delivered = 0;
  u64 filtered = 0;
  u64 held = 0;
  u64 full = 0;
  u32 random = 7;
  for (int round = 0; round < 2000; ++round) {
    random = random * 1'664'525 + 1'013'904'223;
    exception_level = (random >> 29) % 2;
    const u32 count = (random >> 20) % 8;
    run(0, count);
    if (exception_level != 0) {
      filtered += count;
    } else {
      full += held + count > 4 ? held + count - 4 : 0;
      held = std::min<u64>(4, held + count);
    }
    if (random >> 31 != 0) {
      const usize drained = drain(0).size();
      ASSERT_EQ(drained, held);
      delivered += drained;
      held = 0;
      ASSERT_EQ(reply.lost_filtered, filtered);
      ASSERT_EQ(reply.lost_ring_full, full);
      ASSERT_EQ(reply.taken, delivered + full + filtered);
    }
  }
  EXPECT_GT(full, 100u);
}

TEST_F(Sampling, ManySamplesComeInSeveralAnswers) {
  begin(sample_request({0}, {{1, 0, 1}}));
  run(0, 2500);
  const u32 counts[] = {1024, 1024, 452, 0};
  u64 next = 1;
  for (const u32 count : counts) {
    ASSERT_EQ(ann.drain(0, reply), WPERF_OK);
    EXPECT_EQ(reply.count, count);
    EXPECT_EQ(reply.more, count == 1024 ? 1u : 0u);
    EXPECT_EQ(reply.taken, 2500u);
    for (u32 i = 0; i < count; ++i) {
      ASSERT_EQ(reply.samples[i].pc, next++);
    }
    const WperfSample nothing = {};
    for (u32 i = count; i < WPERF_MAX_DRAINED; ++i) {
      ASSERT_EQ(std::memcmp(&reply.samples[i], &nothing, sizeof nothing), 0) << "left from an earlier answer";
    }
  }
}

class SamplingEightCores : public Sampling {
 protected:
  static FakeMachine machine() {
    FakeMachine machine;
    machine.cores = 8;
    machine.cluster_count = 4;
    return machine;
  }
  SamplingEightCores() : Sampling(machine()) {}
};

// 50,000 samples a second on every core, and a client that drains every 100 ms.
TEST_F(SamplingEightCores, APollEvery100MsLosesNothing) {
  constexpr u64 kSamplesPerPoll = 5000;
  begin(sample_request({0, 1, 2, 3, 4, 5, 6, 7}, {{1, 0, 1}}));
  u64 delivered = 0;
  for (u32 poll = 0; poll < 5; ++poll) {
    for (u32 number = 0; number < 8; ++number) {
      run(number, kSamplesPerPoll);
      delivered += drain(number).size();
      ASSERT_EQ(reply.lost_ring_full, 0u);
    }
  }
  EXPECT_EQ(delivered, 8 * 5 * kSamplesPerPoll);
  run(3, 4 * kSamplesPerPoll);  // four times as late
  EXPECT_EQ(drain(3).size(), 4 * kSamplesPerPoll);
  run(5, 50'000);  // a second without a drain
  EXPECT_EQ(drain(5).size(), 32'768u);
  EXPECT_EQ(reply.lost_ring_full, 50'000u - 32'768u);
}

TEST_F(Sampling, SamplesStayAfterStopAndGrowOverStarts) {
  begin(sample_request({0}, {{1, 0, 10}}));
  run(0, 25);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  run(0, 100);
  ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  run(0, 10);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  const Positions both = {{10, 1}, {20, 1}, {135, 1}};
  EXPECT_EQ(positions(drain(0)), both) << "a start begins a whole interval";
  EXPECT_EQ(reply.taken, 3u);
  ASSERT_EQ(ann.configure(sample_request({0}, {{1, 0, 10}})), WPERF_OK);
  EXPECT_TRUE(drain(0).empty());
  EXPECT_EQ(reply.taken, 0u);
  EXPECT_EQ(hal.allocations.size(), 1u);
}

TEST_F(Sampling, ConfiguringAgainForgetsWhatWasNotDrained) {
  begin(sample_request({0, 1}, {{1, 0, 10}}));
  run(0, 25);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(ann.configure(sample_request({1}, {})), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(drain(0).size(), 2u) << "a refused configuration keeps the old one";
  hal.fail_at = 1;
  EXPECT_EQ(ann.configure(sample_request({1}, {{1, 0, 10}})), WPERF_NO_MEMORY);
  EXPECT_EQ(ann.drain(0, reply), WPERF_WRONG_STATE) << "its memory was freed to make room";
  EXPECT_EQ(ann.start_sampling(), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.configure(sample_request({1}, {{1, 0, 10}})), WPERF_OK);
  EXPECT_EQ(ann.drain(0, reply), WPERF_BAD_ARGUMENT);
  EXPECT_TRUE(drain(1).empty());
}

TEST_F(Sampling, UnreachableCoreAtStopFallsSilentAtItsNextInterrupt) {
  const std::vector<FakePmu> before = hal.cores;
  begin(sample_request({0, 1}, {{1, 0, 10}, {0x11, 0, 170}}));
  run(0, 10);
  run(1, 10);
  hal.offline = {1};
  EXPECT_EQ(ann.stop_sampling(), WPERF_HARDWARE_FAILED);
  EXPECT_TRUE(hal.cores[0] == before[0]);
  run(1, 10);  // the core runs programs again, but the driver has not noticed yet
  EXPECT_EQ(hal.cores[1].enabled, u64{1} << kCycleCounter);
  EXPECT_EQ(hal.cores[1].interrupts, 0u);
  EXPECT_EQ(drain(1).size(), 1u) << "the sampling was over";
  EXPECT_EQ(ann.start_sampling(), WPERF_HARDWARE_FAILED) << "its registers are still ours";
  EXPECT_EQ(ann.configure(count_request({1}, {1})), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(ann.configure(sample_request({0}, {{1, 0, 10}})), WPERF_HARDWARE_FAILED);
  hal.offline.clear();
  ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  run(1, 10);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  const Positions again = {{30, 3}};
  EXPECT_EQ(positions(drain(1)), again);
  EXPECT_TRUE(hal.cores == before);
  EXPECT_EQ(hal.cores[1].cycles, 30u * 0x11);
}

TEST_F(Sampling, CountingWaitsForRegistersToo) {
  ASSERT_EQ(ann.configure(count_request({0, 1}, {1})), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);
  hal.offline = {1};
  EXPECT_EQ(ann.stop(), WPERF_HARDWARE_FAILED);
  EXPECT_EQ(ann.configure(sample_request({1}, {{1, 0, 10}})), WPERF_HARDWARE_FAILED);
  hal.offline.clear();
  EXPECT_EQ(ann.configure(sample_request({1}, {{1, 0, 10}})), WPERF_OK);
}

TEST_F(Sampling, TheInterruptIsTakenWhenSamplingStarts) {
  TestClient bob(core, 12, false);
  const auto state = [&] {
    WperfInterruptReply answer = {};
    EXPECT_EQ(bob.ask(WPERF_CODE_INTERRUPT, WperfPlainRequest{}, answer), WPERF_OK);
    return answer.state;
  };
  ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
  WperfSampleRequest request = sample_request({0}, {{1, 0, 10}});
  request.flags = WPERF_SAMPLE_KERNEL;
  EXPECT_EQ(bob.configure(request), WPERF_ACCESS_DENIED);
  EXPECT_EQ(bob.plain(WPERF_CODE_SAMPLE_CONFIGURE), WPERF_BAD_SIZE);
  EXPECT_EQ(bob.start_sampling(), WPERF_WRONG_STATE);
  request.flags = 0;
  ASSERT_EQ(bob.configure(request), WPERF_OK);
  EXPECT_EQ(state(), u32{WPERF_INTERRUPT_NOT_ASKED});
  hal.interrupt_is_refused = true;
  EXPECT_EQ(bob.start_sampling(), WPERF_NO_INTERRUPT);
  EXPECT_EQ(hal.cores[0].interrupts, 0u);
  EXPECT_EQ(bob.stop_sampling(), WPERF_WRONG_STATE);
  hal.interrupt_is_refused = false;
  ASSERT_EQ(bob.start_sampling(), WPERF_OK);
  EXPECT_EQ(state(), u32{WPERF_INTERRUPT_HELD});
}

// An interrupt, of this driver or of another one, may come between any two register accesses of start and stop, and at
// a barrier after overflows that raised no interrupt. In every case all counters are stopped, all memory is freed, and
// every sample is accounted for.
TEST(SamplingMoments, InterruptsAtEveryAccessOfStartAndStop) {
  enum class Foreign { none, at_once, at_barrier };
  for (const Foreign foreign : {Foreign::none, Foreign::at_once, Foreign::at_barrier}) {
    bool reached = true;
    for (u32 moment = 0; reached; ++moment) {
      ASSERT_LT(moment, 500u);
      FakeMachine machine;
      machine.reserved_mask = 0x1e;
      FakeHal hal(machine);
      hal.cores[0].types[1] = 0x23;
      hal.cores[0].interrupts = 0x21;  // the interrupts of counters 0 and 5 are enabled by another user
      hal.cores[0].enabled = 0x21;
      hal.interrupts_of_others = 0x21;
      const std::vector<FakePmu> before = hal.cores;
      LockState lock;
      Core core(hal, lock, {});
      TestClient ann(core, 11);
      hal.on_interrupt = [&](u32 number) { core.on_overflow(number, {1, 2, 3, 4, 0}); };
      ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
      ASSERT_EQ(ann.configure(sample_request({0}, {{1, 0, 3}, {2, 0, 5}, {0x11, 0, 20}})), WPERF_OK);

      u32 access = 0;
      const auto happening = [&](Register) {
        if (access++ == moment) {
          hal.cores[0].overflow |= foreign == Foreign::at_once ? 0x20 : 0;
          hal.advance_core(0, 1, [](EventClass, u32, u32 event, bool el1) { return el1 ? 0 : 2 * event; });
        }
      };
      hal.before_read = happening;
      hal.before_write = happening;
      hal.at_barrier = [&] {
        if (foreign == Foreign::at_barrier && access > moment) {
          hal.interrupt_from_elsewhere(0);
        }
      };
      ASSERT_EQ(ann.start_sampling(), WPERF_OK);
      ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
      reached = access > moment;
      hal.before_read = nullptr;
      hal.before_write = nullptr;
      hal.at_barrier = nullptr;

      WperfDrainReply reply = {};
      ASSERT_EQ(ann.drain(0, reply), WPERF_OK);
      EXPECT_LE(reply.count, 1u);
      EXPECT_EQ(reply.taken, reply.count);
      hal.cores[0].overflow &= ~u64{0x20};
      EXPECT_TRUE(hal.cores == before) << moment;
      core.shutdown();
      EXPECT_TRUE(hal.clean()) << moment << (hal.violations.empty() ? "" : hal.violations[0]);
    }
  }
}

}  // namespace
}  // namespace wperf::driver
