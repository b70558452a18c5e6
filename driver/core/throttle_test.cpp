// SPDX-License-Identifier: BSD-3-Clause
// The number of interrupts that a core takes for any request, and the sum of the intervals that they stand for.
#include "driver/core/throttle.h"

#include "driver/core/sampling_fixture.h"

namespace wperf::driver {
namespace {

constexpr u64 kSecondNs = 1'000'000'000;

SamplePlan plan_with(u32 interval, u32 limit = WPERF_SAMPLES_PER_SECOND) {
  SamplePlan plan = {};
  plan.event_count = 1;
  plan.most_per_second = limit;
  plan.intervals[0] = interval;
  return plan;
}

// A program in which the event happens every `event_ns`. An interrupt stops the program for `handler_ns` in the
// handler, and for the same time again outside of the handler.
struct InterruptLoad {
  u32 interval;
  double event_ns;
  u64 handler_ns;
  u32 limit = WPERF_SAMPLES_PER_SECOND;
};
struct ThrottleResult {
  u64 interrupts = 0;
  u64 intervals = 0;   // the intervals that they stand for
  u64 program_ns = 0;  // the time in which the program ran
};
ThrottleResult weather(const InterruptLoad& storm, u64 ns) {
  Throttle throttle = {};
  u64 now = 1;
  throttle.begin(now, plan_with(storm.interval, storm.limit));
  ThrottleResult result;
  while (now < ns) {
    const u64 intervals = u64{1} << throttle.shift_of(0);
    const u64 worked = static_cast<u64>(static_cast<double>(storm.interval * intervals) * storm.event_ns);
    now += worked;
    result.program_ns += worked;
    result.intervals += intervals;
    ++result.interrupts;
    now += storm.handler_ns / 2;
    throttle.arrive(now);
    throttle.adapt(0, storm.interval);
    now += storm.handler_ns;
    throttle.leave(now);
    now += storm.handler_ns / 2;
  }
  return result;
}

TEST(Throttle, LeavesAProgramMostOfItsTime) {
  const InterruptLoad storms[] = {{1, 0.1, 1000},      {1, 1, 1000},     {1, 0.3, 20'000},           {100, 0.1, 3000},
                                  {1000, 0.3, 50'000}, {3, 50, 200'000}, {1, 0.1, 1000, 0xffff'ffff}};
  for (const InterruptLoad& storm : storms) {
    const ThrottleResult result = weather(storm, kSecondNs);
    EXPECT_GT(result.program_ns, kSecondNs * 7 / 10) << storm.interval << ", " << storm.handler_ns;
    EXPECT_GT(result.interrupts, 100u) << "it goes on sampling";
  }
}

TEST(Throttle, KeepsToTheLimitAndUsesIt) {
  for (const u32 limit : {1000u, u32{WPERF_SAMPLES_PER_SECOND}, 200'000u}) {
    const ThrottleResult result = weather({1, 0.3, 100, limit}, kSecondNs);
    EXPECT_LT(result.interrupts, limit + limit / 10 + 200) << limit;
    EXPECT_GT(result.interrupts, limit / 2) << limit;
  }
}

TEST(Throttle, LeavesAloneWhatIsSlowEnough) {
  for (const InterruptLoad& storm :
       {InterruptLoad{1, 20'000, 1000}, InterruptLoad{100'000, 0.3, 1000}, InterruptLoad{1'000'000, 0.3, 30'000}}) {
    const ThrottleResult result = weather(storm, kSecondNs / 10);
    EXPECT_EQ(result.interrupts, result.intervals) << storm.interval;
  }
}

TEST(Throttle, AFrequentEventThatBecomesRareIsSampledAsAskedAgain) {
  Throttle throttle = {};
  u64 now = 0;
  throttle.begin(now, plan_with(1));
  const auto interrupt = [&](u64 after) {
    now += after;
    throttle.arrive(now);
    throttle.adapt(0, 1);
    throttle.leave(now);
  };
  for (u32 i = 0; i < 200; ++i) {
    interrupt(10);
  }
  EXPECT_GT(throttle.shift_of(0), 20u);
  for (u32 i = 0; i < 40; ++i) {
    interrupt(5'000'000);
  }
  EXPECT_EQ(throttle.shift_of(0), 0u);
}

TEST(Throttle, PauseIsNotTakenForSlowHandler) {
  Throttle throttle = {};
  throttle.begin(0, plan_with(1000));
  throttle.arrive(1000);
  throttle.leave(60 * kSecondNs);
  throttle.arrive(60 * kSecondNs + 20'000'000);
  throttle.adapt(0, 1000);
  EXPECT_EQ(throttle.shift_of(0), 0u);
}

TEST(Throttle, NoCounterIsSetBeyond32Bits) {
  for (const u32 interval : {1u, 3u, 1000u, 0x7fff'ffffu, 0x8000'0000u, 0xffff'ffffu}) {
    Throttle throttle = {};
    throttle.begin(0, plan_with(interval, 1));
    for (u32 i = 0; i < 100; ++i) {
      throttle.arrive(i);
      throttle.adapt(0, interval);
      throttle.leave(i);
    }
    EXPECT_LE(u64{interval} << throttle.shift_of(0), 0xffff'ffffu) << interval;
  }
}

// A program with frequent events, on a machine where time passes in the interrupt. The client is not an administrator.
class InterruptedProgram : public Sampling {
 protected:
  struct Result {
    double per_second, share;  // interrupts, and their share of the core's time
  };

  // Each access to a register takes `access_ns`. The shell reads two registers, and the system's own work takes as long
  // as both handlers together.
  void prepare(u64 access_ns) {
    const auto access = [this, access_ns](Register) { hal.now_ns += inside ? access_ns : 0; };
    hal.before_read = access;
    hal.before_write = access;
    hal.on_interrupt = [this, access_ns](u32 number) {
      const u64 begin_ns = hal.now_ns;
      hal.now_ns += 2 * access_ns;
      inside = true;
      core.on_overflow(number, {1, 2, 100, 200, 0});
      inside = false;
      hal.now_ns += hal.now_ns - begin_ns;
      spent_ns += hal.now_ns - begin_ns;
      ++interrupts;
    };
  }
  // Calls `again` whenever the program has been interrupted that many times.
  template <typename Again>
  Result run_program(u64 ns, u64 every, Again again) {
    const u64 begin_ns = hal.now_ns;
    u64 next = every;
    while (hal.now_ns - begin_ns < ns) {
      hal.advance_core(0, 2000, [this](EventClass, u32, u32, bool el1) { return el1 ? 0 : 2000 * events_per_ns; });
      if (interrupts >= next) {
        again();
        next = interrupts + every;
      }
    }
    const double passed = static_cast<double>(hal.now_ns - begin_ns);
    return {static_cast<double>(interrupts) * 1e9 / passed, static_cast<double>(spent_ns) / passed};
  }
  static WperfSampleRequest request_of(u32 events) {
    std::vector<WperfSampleEvent> list;
    for (u32 i = 0; i < events; ++i) {
      list.push_back({static_cast<u16>(8 + i), 0, 1});
    }
    WperfSampleRequest request = sample_request({0}, list);
    request.ring_samples = 256;
    return request;
  }

  TestClient bob{core, 12, false};
  bool inside = false;
  u64 events_per_ns = 3, interrupts = 0, spent_ns = 0;
};

TEST_F(InterruptedProgram, StartingAgainDoesNotRaiseTheLimit) {
  ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
  prepare(50);
  for (const bool configures : {false, true}) {
    events_per_ns = configures ? 100 : 3;
    for (const u64 every : {1, 60, 150}) {
      interrupts = 0;
      spent_ns = 0;
      ASSERT_EQ(bob.configure(request_of(6)), WPERF_OK);
      ASSERT_EQ(bob.start_sampling(), WPERF_OK);
      const Result result = run_program(100'000'000, every, [&] {
        ASSERT_EQ(bob.stop_sampling(), WPERF_OK);
        if (configures) {
          ASSERT_EQ(bob.configure(request_of(every == 60 ? 6 : 1)), WPERF_OK);
        }
        hal.now_ns += 5'000;
        ASSERT_EQ(bob.start_sampling(), WPERF_OK);
      });
      EXPECT_LT(result.per_second, 64'000) << every << "; 5 ms of debt in 100 ms";
      EXPECT_GT(result.per_second, 5'000) << "it goes on sampling, " << every;
      ASSERT_EQ(bob.stop_sampling(), WPERF_OK);
    }
  }
}

TEST_F(InterruptedProgram, SlowRegistersDoNotTakeMoreThanAQuarterOfTheCore) {
  ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
  for (const u32 events : {1u, 4u}) {
    for (const u64 access_ns : {100, 500, 4000}) {
      interrupts = 0;
      spent_ns = 0;
      prepare(access_ns);
      ASSERT_EQ(bob.configure(request_of(events)), WPERF_OK);
      ASSERT_EQ(bob.start_sampling(), WPERF_OK);
      const Result result = run_program(200'000'000, ~u64{0}, [] {});
      EXPECT_LT(result.share, 0.25) << events << ", " << access_ns;
      EXPECT_GT(interrupts, 100u) << "it goes on sampling";
      ASSERT_EQ(bob.stop_sampling(), WPERF_OK);
      hal.now_ns += kSecondNs;
    }
  }
}

// Each step is an event of interval 1. A client that asks for too many samples gets as many as the limit allows. The
// remaining intervals are reported.
TEST_F(Sampling, TooShortIntervalsAreHeldBackAndCounted) {
  constexpr u64 kSteps = 200'000;
  for (const bool administrator : {false, true}) {
    for (const bool jitter : {false, true}) {
      TestClient client(core, 11, administrator);
      WperfSampleRequest request = sample_request({0}, {{1, 0, 1}, {3, 0, 2}});
      request.flags = jitter ? WPERF_SAMPLE_JITTER : 0;
      request.jitter_shift = jitter ? 1 : 0;
      ASSERT_EQ(client.configure(request), WPERF_OK);
      ASSERT_EQ(client.start_sampling(), WPERF_OK);
      const u64 begin = hal.now_ns;
      run_fast(0, kSteps);
      ASSERT_EQ(client.stop_sampling(), WPERF_OK);
      const u64 limit = (hal.now_ns - begin) * WPERF_SAMPLES_PER_SECOND / kSecondNs;
      const std::vector<WperfSample> samples = drain(0);
      EXPECT_LT(reply.taken, limit + 200);
      EXPECT_GT(reply.taken, limit / 4);
      u64 overflows = 0;
      for (const WperfSample& sample : samples) {
        overflows += sample.overflowed == 3 ? 2 : 1;
      }
      const u64 accounted = overflows + reply.held_back + reply.merged;
      const u64 happened = kSteps * 1 / 1 + kSteps * 3 / 2;
      if (!jitter) {
        EXPECT_LE(accounted, happened);
        EXPECT_GT(accounted, happened - happened / 50) << "but for what the counters had not come to the end of";
      }
    }
  }
}

TEST_F(Sampling, OnlyAnAdministratorRaisesTheLimit) {
  TestClient user(core, 11, false);
  WperfSampleRequest request = sample_request({0}, {{1, 0, 1}});
  request.most_per_second = WPERF_SAMPLES_PER_SECOND;
  EXPECT_EQ(user.configure(request), WPERF_OK);
  request.most_per_second = WPERF_SAMPLES_PER_SECOND + 1;
  EXPECT_EQ(user.configure(request), WPERF_ACCESS_DENIED);
  request.most_per_second = 10'000'000;
  begin(request);
  run_fast(0, 1000);
  EXPECT_EQ(drain(0).size(), 1000u);
  EXPECT_EQ(reply.held_back, 0u);
  request.max_stack = WPERF_MAX_STACK + 1;
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(ann.configure(request), WPERF_BAD_ARGUMENT);
}

}  // namespace
}  // namespace wperf::driver
