// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

namespace wperf::driver {
namespace {

WperfSample numbered(u64 number) {
  WperfSample sample = {};
  sample.pc = number;
  sample.lr = ~number;
  return sample;
}

TEST(SampleRing, EqualsABoundedQueue) {
  for (const u32 capacity : {1u, 2u, 8u, 64u}) {
    std::vector<WperfSample> slots(capacity);
    SampleRing ring = {};
    ring.attach(slots.data(), capacity);
    std::deque<u64> model;
    u64 pushed = 0;
    u32 random = 1;
    for (u64 step = 0; step < 20'000; ++step) {
      random = random * 1'664'525 + 1'013'904'223;
      if (random >> 31 != 0) {
        const bool room = model.size() < capacity;
        ASSERT_EQ(ring.push(numbered(step)), room);
        if (room) {
          model.push_back(step);
          ++pushed;
        }
        continue;
      }
      WperfSample out[16];
      const u32 most = (random >> 20) % 17;
      const SampleRing::Popped popped = ring.pop(out, most);
      ASSERT_EQ(popped.count, std::min<usize>(most, model.size()));
      for (u32 i = 0; i < popped.count; ++i) {
        ASSERT_EQ(out[i].pc, model.front());
        ASSERT_EQ(out[i].lr, ~model.front());
        model.pop_front();
      }
      ASSERT_EQ(popped.left, model.size());
      ASSERT_EQ(popped.pushed, pushed);
    }
  }
}

TEST(SampleRing, TwoThreadsLoseAndRepeatNothing) {
  constexpr u64 kSamples = 200'000;
  std::vector<WperfSample> slots(64);
  SampleRing ring = {};
  ring.attach(slots.data(), 64);
  std::thread producer([&] {
    for (u64 number = 0; number < kSamples;) {
      number += ring.push(numbered(number)) ? 1 : 0;
    }
  });
  WperfSample out[48];
  for (u64 expected = 0; expected < kSamples;) {
    const SampleRing::Popped popped = ring.pop(out, 48);
    ASSERT_LE(popped.left, 64u);
    for (u32 i = 0; i < popped.count; ++i, ++expected) {
      ASSERT_EQ(out[i].pc, expected);
      ASSERT_EQ(out[i].lr, ~expected);
    }
  }
  producer.join();
}

}  // namespace
}  // namespace wperf::driver
