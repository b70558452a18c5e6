// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of sampling: a machine in which event e happens e times per step, a handler that passes its
// overflows to the driver with the step's number as pc, and the samples that plain arithmetic predicts.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {

inline constexpr u64 kStepNs = 100'000;  // slow enough for a sample at every step

struct Expected {
  std::vector<std::pair<u64, u32>> samples;  // step, overflowed events
  u64 merged = 0;
};

// A step has a sample if an event's count passes a multiple of its interval in that step. Several overflows in one step
// make one sample.
inline Expected expected_samples(const std::vector<WperfSampleEvent>& events, u64 steps, u64 rate = 1) {
  Expected expected;
  for (u64 step = 1; step <= steps; ++step) {
    u32 overflowed = 0;
    for (usize i = 0; i < events.size(); ++i) {
      const u64 per_step = rate * events[i].event;
      const u64 crossed = step * per_step / events[i].interval - (step - 1) * per_step / events[i].interval;
      overflowed |= (crossed != 0 ? 1u : 0u) << i;
      expected.merged += crossed > 1 ? crossed - 1 : 0;
    }
    if (overflowed != 0) {
      expected.samples.emplace_back(step, overflowed);
    }
  }
  return expected;
}

class Sampling : public testing::Test {
 protected:
  explicit Sampling(const FakeMachine& machine = {}) : hal(machine), steps(machine.cores, 0) {
    hal.on_interrupt = [this](u32 number) {
      core.on_overflow(number, {steps[number], ~steps[number], 100 + number, 200 + number, exception_level});
    };
    EXPECT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  }
  ~Sampling() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }

  void begin(const WperfSampleRequest& request) {
    ASSERT_EQ(ann.configure(request), WPERF_OK);
    ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  }
  void run(u32 number, u64 count, u64 rate = 1) { run(number, count, rate, kStepNs); }
  void run_fast(u32 number, u64 count) { run(number, count, 1, kStepNs / 100); }
  void run(u32 number, u64 count, u64 rate, u64 step_ns) {
    for (u64 i = 0; i < count; ++i) {
      ++steps[number];
      hal.advance_core(number, step_ns,
                       [rate](EventClass, u32, u32 event, bool el1) { return el1 ? 0 : rate * event; });
    }
  }
  // Drains the whole ring of the core; the last answer stays in `reply`.
  std::vector<WperfSample> drain(u32 number) {
    std::vector<WperfSample> samples;
    do {
      EXPECT_EQ(ann.drain(number, reply), WPERF_OK);
      EXPECT_EQ(reply.core, number);
      EXPECT_LE(reply.count, u32{WPERF_MAX_DRAINED});
      samples.insert(samples.end(), reply.samples, reply.samples + reply.count);
    } while (reply.more != 0 && reply.count != 0);
    EXPECT_EQ(reply.more, 0u);
    return samples;
  }
  static std::vector<std::pair<u64, u32>> positions(const std::vector<WperfSample>& samples) {
    std::vector<std::pair<u64, u32>> positions;
    for (const WperfSample& sample : samples) {
      positions.emplace_back(sample.pc, sample.overflowed);
    }
    return positions;
  }

  FakeHal hal;
  LockState lock;
  Core core{hal, lock, {}};
  TestClient ann{core, 11};
  std::vector<u64> steps;  // by core
  u32 exception_level = 0;
  WperfDrainReply reply = {};
};

}  // namespace wperf::driver
