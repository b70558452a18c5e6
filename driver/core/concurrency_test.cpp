// SPDX-License-Identifier: BSD-3-Clause
// The timer runs on one thread and requests on another, as on two cores of a real machine. Each core that interrupts is
// a separate thread. ThreadSanitizer checks that all shared state is protected by the lock, or by ordered accesses
// where an interrupt may not lock. In every build the test checks that no count or sample is lost or counted twice.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "driver/core/fake_hal.h"
#include "driver/core/spe_fixture.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

TEST(Concurrency, ReadsWhileTimerRuns) {
  FakeHal hal;
  LockState lock;
  Core core(hal, lock, {});
  TestClient ann(core, 11);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  ASSERT_EQ(ann.configure(count_request({0, 1, 2, 3}, {1, 2, 3, 4, 5, 6, 7})), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);

  constexpr u32 kTicks = 2000;
  std::atomic<bool> done = false;
  std::thread timer([&] {
    for (u32 i = 0; i < kTicks; ++i) {
      hal.enter_critical();  // events happen between ticks, never in the middle of a read
      hal.advance(1000, [](EventClass, u32, u32, bool el1) { return el1 ? 0 : 3; });
      hal.leave_critical();
      core.on_timer();
    }
    done = true;
  });
  u64 last = 0;
  do {
    WperfCountReply reply = {};
    ASSERT_EQ(ann.read(EventClass::core, 2, reply), WPERF_OK);
    ASSERT_GE(reply.cycles, last);
    ASSERT_EQ(reply.cycles, 3 * reply.enabled_ns / 1000) << "a reading is of one moment";
    last = reply.cycles;
  } while (!done);
  timer.join();
  ASSERT_EQ(ann.stop(), WPERF_OK);
  WperfCountReply reply = {};
  ASSERT_EQ(ann.read(EventClass::core, 2, reply), WPERF_OK);
  u64 slots = 0;
  for (u32 i = 0; i < 7; ++i) {
    EXPECT_EQ(reply.entries[i].value, 3 * reply.entries[i].slots);
    slots += reply.entries[i].slots;
  }
  EXPECT_EQ(reply.rounds, kTicks);
  EXPECT_EQ(slots, u64{6} * kTicks);
  core.shutdown();
  EXPECT_TRUE(hal.clean());
}

TEST(Concurrency, StartAndStopWhileTimerRuns) {
  FakeHal hal;
  LockState lock;
  Core core(hal, lock, {});
  TestClient ann(core, 11);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  std::atomic<bool> done = false;
  std::thread timer([&] {
    while (!done) {
      core.on_timer();  // a shell's timer may be one tick late
    }
  });
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(ann.configure(count_request({0, 1}, {1, 2, 3, 4, 5, 6, 7})), WPERF_OK);
    ASSERT_EQ(ann.start(), WPERF_OK);
    ASSERT_EQ(ann.stop(), WPERF_OK);
  }
  done = true;
  timer.join();
  core.shutdown();
  EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
}

// Without passing time, the driver's throttle would hold back samples forever.
WperfSampleRequest unthrottled(WperfSampleRequest request) {
  request.most_per_second = 1'000'000'000;
  return request;
}

// Generates one event per step on each of `cores` until `done` is set. An overflow passes the number of the step to the
// driver.
class InterruptingCores {
 public:
  InterruptingCores(FakeHal& hal, Core& core, const std::vector<u32>& cores) : hal_(hal) {
    hal.on_interrupt = [&](u32 number) { core.on_overflow(number, {steps_[number], 0, number, number, 0}); };
    for (const u32 number : cores) {
      threads_.emplace_back([this, number] {
        while (!done_) {
          ++steps_[number];
          hal_.advance_core(number, 1, [](EventClass, u32, u32, bool el1) { return el1 ? 0 : 1; });
          std::this_thread::yield();  // otherwise threads that need this core wait a long time for its lock
        }
      });
    }
  }
  void join() {
    done_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

 private:
  FakeHal& hal_;
  std::atomic<bool> done_ = false;
  u64 steps_[4] = {};  // by core; each is touched only by its thread
  std::vector<std::thread> threads_;
};

TEST(Concurrency, DrainWhileOverflowing) {
  FakeHal hal;
  LockState lock;
  Core core(hal, lock, {});
  TestClient ann(core, 11);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  WperfSampleRequest request = unthrottled(sample_request({1, 2}, {{1, 0, 3}}));
  request.ring_samples = 256;
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  InterruptingCores cores(hal, core, {1, 2});
  u64 delivered[4] = {};
  u64 last[4] = {};
  WperfDrainReply reply = {};
  const auto drain = [&](u32 number) {
    ASSERT_EQ(ann.drain(number, reply), WPERF_OK);
    for (u32 i = 0; i < reply.count; ++i) {
      const WperfSample& sample = reply.samples[i];
      ASSERT_EQ(sample.core, number);
      ASSERT_TRUE(last[number] == 0 || sample.pc >= last[number] + 3) << "order, and nothing twice";
      ASSERT_EQ((sample.pc - last[number]) % 3, last[number] == 0 ? sample.pc % 3 : 0) << "in step";
      last[number] = sample.pc;
    }
    delivered[number] += reply.count;
    const u64 held = reply.taken - reply.lost_ring_full - delivered[number];
    ASSERT_LE(held, 256u);
    ASSERT_EQ(held != 0, reply.more != 0) << "an answer is of one moment";
  };
  while (delivered[1] < 4'000 || delivered[2] < 4'000) {
    drain(1);
    drain(2);
  }
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  for (const u32 number : {1u, 2u}) {
    drain(number);
    drain(number);
    const u64 taken = reply.taken;
    EXPECT_EQ(delivered[number] + reply.lost_ring_full, taken);
    drain(number);
    EXPECT_EQ(reply.taken, taken) << "no sample after stop";
  }
  cores.join();
  core.shutdown();
  EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
}

TEST(Concurrency, AllRequestsWhileOverflowing) {
  FakeHal hal;
  const std::vector<FakePmu> before = hal.cores;
  LockState lock;
  Core core(hal, lock, {});
  InterruptingCores cores(hal, core, {0, 1, 2, 3});
  for (u64 round = 1; round <= 300; ++round) {
    TestClient client(core, round);
    ASSERT_EQ(client.lock(WPERF_LOCK_FORCE), WPERF_OK);  // the previous client lost the lock while it sampled
    ASSERT_EQ(client.configure(unthrottled(sample_request({0, 1, 2, 3}, {{1, 0, 2}, {0x11, 0, 1}}))), WPERF_OK);
    ASSERT_EQ(client.start_sampling(), WPERF_OK);
    WperfDrainReply reply = {};
    ASSERT_EQ(client.drain(static_cast<u32>(round % 4), reply), WPERF_OK);
    if (round % 3 == 0) {
      ASSERT_EQ(client.stop_sampling(), WPERF_OK);
      ASSERT_EQ(client.start_sampling(), WPERF_OK);
    }
  }
  core.shutdown();
  cores.join();
  EXPECT_TRUE(hal.cores == before);
  EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
}

// Cores that profile until they are stopped, each a thread with an interrupt. Returns the number of records that were
// made.
class ProfilingCores {
 public:
  ProfilingCores(FakeHal& hal, Core& core, const std::vector<u32>& cores) : hal_(hal) {
    hal.on_profiling_interrupt = [&core](u32 number) { return core.on_profiling_interrupt(number); };
    for (const u32 number : cores) {
      threads_.emplace_back([this, number] {
        while (!done_) {
          made_[number] += hal_.profile(number, numbered_record(made_[number])) ? 1 : 0;
        }
      });
    }
    threads_.emplace_back([this, &core] {
      while (!done_) {
        core.on_timer();
        std::this_thread::yield();
      }
    });
  }
  u64 join(u32 number) {
    done_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) {
        thread.join();
      }
    }
    return made_[number];
  }

 private:
  FakeHal& hal_;
  std::atomic<bool> done_ = false;
  u64 made_[4] = {};  // by core, touched only by its thread
  std::vector<std::thread> threads_;
};

TEST(Concurrency, DrainWhileProfiling) {
  FakeHal hal(machine_with_spe());
  LockState lock;
  Core core(hal, lock, {});
  TestClient ann(core, 11);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  ASSERT_EQ(ann.configure(spe_request({1, 2})), WPERF_OK);
  ASSERT_EQ(ann.start_profiling(), WPERF_OK);
  ProfilingCores cores(hal, core, {1, 2});
  u64 drained[4] = {};
  const auto drain = [&](u32 number) {
    WperfSpeDrainReply reply = {};
    ASSERT_EQ(ann.drain(number, reply), WPERF_OK);
    for (const u64 record : numbers_of(reply)) {
      ASSERT_EQ(record, drained[number]) << "in order, each once";
      ++drained[number];
    }
    ASSERT_GE(reply.written, drained[number] * kFakeRecord);
    ASSERT_EQ(reply.events & WPERF_SPE_FAULT, 0u);
  };
  while ((drained[1] < 20'000 || drained[2] < 20'000) && !HasFailure()) {
    drain(1);
    drain(2);
  }
  ASSERT_EQ(ann.stop_profiling(), WPERF_OK);
  for (const u32 number : {1u, 2u}) {
    for (u32 i = 0; i < 3; ++i) {
      drain(number);
    }
    EXPECT_EQ(drained[number], cores.join(number));
  }
  core.shutdown();
  EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
}

TEST(Concurrency, AllRequestsWhileProfiling) {
  FakeHal hal(machine_with_spe());
  const std::vector<FakeSpe> before = hal.spes;
  LockState lock;
  Core core(hal, lock, {});
  ProfilingCores cores(hal, core, {0, 1, 2, 3});
  for (u64 round = 1; round <= 300; ++round) {
    TestClient client(core, round);
    ASSERT_EQ(client.lock(WPERF_LOCK_FORCE), WPERF_OK);  // the previous client lost the lock while it profiled
    ASSERT_EQ(client.configure(spe_request({0, 1, 2, 3})), WPERF_OK);
    ASSERT_EQ(client.configure(count_request({0, 1}, {1})), WPERF_OK);
    ASSERT_EQ(client.start_profiling(), WPERF_OK);
    ASSERT_EQ(client.start(), WPERF_OK);
    WperfSpeDrainReply reply = {};
    ASSERT_EQ(client.drain(static_cast<u32>(round % 4), reply), WPERF_OK);
    if (round % 3 == 0) {
      ASSERT_EQ(client.stop_profiling(), WPERF_OK);
      ASSERT_EQ(client.start_profiling(), WPERF_OK);
    }
  }
  core.shutdown();
  cores.join(0);
  EXPECT_TRUE(hal.spes == before);
  EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
}

// The memory of a core that cannot be stopped is freed only when its interrupt is not running.
TEST(Concurrency, ForceWhileAnUnreachableCoreInterrupts) {
  for (u64 round = 0; round < 50; ++round) {
    FakeHal hal;
    LockState lock;
    Core core(hal, lock, {});
    TestClient ann(core, 11);
    TestClient bob(core, 22);
    ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    ASSERT_EQ(ann.configure(unthrottled(sample_request({0, 3}, {{1, 0, 1}}))), WPERF_OK);
    ASSERT_EQ(ann.start_sampling(), WPERF_OK);
    InterruptingCores cores(hal, core, {3});
    WperfDrainReply reply = {};
    do {
      ASSERT_EQ(ann.drain(3, reply), WPERF_OK);
    } while (reply.taken == 0);
    hal.offline = {3};
    ASSERT_EQ(bob.lock(WPERF_LOCK_FORCE), WPERF_OK);
    EXPECT_TRUE(hal.allocations.empty());
    cores.join();
    // Makes the counter overflow, whether or not the throttle has lengthened its interval.
    hal.advance_core(3, 1, [](EventClass, u32, u32, bool) { return u64{0xffff'ffff}; });
    EXPECT_EQ(hal.cores[3].interrupts, 0u) << "silenced by its next interrupt";
    EXPECT_TRUE(hal.violations.empty()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
}

}  // namespace
}  // namespace wperf::driver
