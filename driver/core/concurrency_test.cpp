// SPDX-License-Identifier: BSD-3-Clause
// The timer on one thread, requests on another, as on two cores of a real machine. Under ThreadSanitizer this proves
// that everything both touch is behind the lock; anywhere it proves that no count is lost or counted twice.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

TEST(Concurrency, ReadsBesideTheTimer) {
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

TEST(Concurrency, StartAndStopBesideTheTimer) {
  FakeHal hal;
  LockState lock;
  Core core(hal, lock, {});
  TestClient ann(core, 11);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  std::atomic<bool> done = false;
  std::thread timer([&] {
    while (!done) {
      core.on_timer();  // a shell may be a tick late
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

}  // namespace
}  // namespace wperf::driver
