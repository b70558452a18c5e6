// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_ring.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <thread>
#include <vector>

namespace wperf::driver {
namespace {

RingSample numbered(u64 number, u32 stack_words) {
  RingSample kept = {};
  kept.sample.pc = number;
  kept.sample.lr = ~number;
  kept.sample.stack_words = static_cast<u8>(stack_words);
  kept.process_start = number / 2;
  return kept;
}

bool all(const RingSample&) {
  return true;
}

constexpr u32 kEverything = ~u32{0};

// Number of the sample, words of its stack.
using Queue = std::deque<std::pair<u64, u32>>;

u32 words_in(const Queue& queue) {
  u32 words = 0;
  for (const auto& [number, stack] : queue) {
    words += kKeptWords + stack;
  }
  return words;
}

// `words` must hold the oldest records of the model.
void expect_oldest(Queue& model, const SampleRing::PopResult& popped, const u64* words) {
  u32 at = 0;
  for (u32 i = 0; i < popped.count; ++i) {
    WperfSample sample;
    std::memcpy(&sample, words + at, sizeof sample);
    ASSERT_EQ(sample.pc, model.front().first);
    ASSERT_EQ(sample.lr, ~model.front().first);
    ASSERT_EQ(sample.stack_words, model.front().second);
    for (u32 word = 0; word < sample.stack_words; ++word) {
      ASSERT_EQ(words[at + kSampleWords + word], sample.pc + word);
    }
    at += kSampleWords + sample.stack_words;
    model.pop_front();
  }
  ASSERT_EQ(at, popped.words);
}

TEST(SampleRing, EqualsABoundedQueueOfRecordsOfAnyLength) {
  for (const u32 capacity : {6u, 12u, 41u, 320u}) {
    std::vector<u64> memory(capacity);
    SampleRing ring = {};
    ring.attach(memory.data(), capacity);
    Queue model;
    u64 pushed = 0;
    u32 random = 1;
    for (u64 step = 0; step < 20'000; ++step) {
      random = random * 1'664'525 + 1'013'904'223;
      if (random >> 31 != 0) {
        const u32 stack_words = (random >> 24) % 3 == 0 ? 0 : (random >> 16) % 40;
        std::vector<u64> stack(stack_words);
        for (u32 word = 0; word < stack_words; ++word) {
          stack[word] = step + word;
        }
        const bool room = words_in(model) + kKeptWords + stack_words <= capacity;
        ASSERT_EQ(ring.push(numbered(step, stack_words), stack.data()), room);
        if (room) {
          model.emplace_back(step, stack_words);
          ++pushed;
        }
        continue;
      }
      u64 out[128];
      const u32 most = (random >> 20) % 129;
      const SampleRing::PopResult popped = ring.pop(out, most, kEverything, all);
      ASSERT_LE(popped.words, most);
      if (popped.count < model.size()) {
        ASSERT_GT(popped.words + kSampleWords + model[popped.count].second, most);
      }
      ASSERT_NO_FATAL_FAILURE(expect_oldest(model, popped, out));
      ASSERT_EQ(popped.left, model.size());
      ASSERT_EQ(popped.pushed, pushed);
    }
  }
}

TEST(SampleRing, FilteredSamplesLeaveNoTrace) {
  std::vector<u64> memory(100);
  SampleRing ring = {};
  ring.attach(memory.data(), 100);
  u64 number = 0, pushed = 0, dropped = 0;
  for (u32 round = 0; round < 200; ++round) {
    Queue model;
    for (;; ++number, ++pushed) {
      const u64 stack[6] = {number, number + 1, number + 2, number + 3, number + 4, number + 5};
      if (!ring.push(numbered(number, static_cast<u32>(number % 7)), stack)) {
        break;
      }
      if (number / 2 % 3 != 0) {
        model.emplace_back(number, number % 7);
      }
    }
    const usize wanted = model.size();
    u64 out[100];
    const SampleRing::PopResult popped =
        ring.pop(out, 100, kEverything, [](const RingSample& kept) { return kept.process_start % 3 != 0; });
    EXPECT_EQ(popped.count - popped.dropped, wanted);
    EXPECT_EQ(popped.left, 0u);
    EXPECT_EQ(popped.pushed, pushed);
    SampleRing::PopResult kept = popped;
    kept.count -= popped.dropped;
    ASSERT_NO_FATAL_FAILURE(expect_oldest(model, kept, out));
    dropped += popped.dropped;
  }
  EXPECT_GT(dropped, 100u);
}

TEST(SampleRing, TwoThreadsLoseAndRepeatNothing) {
  constexpr u64 kSamples = 200'000;
  std::vector<u64> memory(320);
  SampleRing ring = {};
  ring.attach(memory.data(), 320);
  std::thread producer([&] {
    for (u64 number = 0; number < kSamples;) {
      const u64 stack[6] = {number, number + 1, number + 2, number + 3, number + 4, number + 5};
      number += ring.push(numbered(number, static_cast<u32>(number % 7)), stack) ? 1 : 0;
    }
  });
  u64 out[240];
  for (u64 expected = 0; expected < kSamples;) {
    const SampleRing::PopResult popped = ring.pop(out, 240, 48, all);
    ASSERT_LE(popped.left, 64u);
    ASSERT_EQ(popped.pushed, expected + popped.count + popped.left);
    Queue model;
    for (u32 i = 0; i < popped.count; ++i, ++expected) {
      model.emplace_back(expected, expected % 7);
    }
    ASSERT_NO_FATAL_FAILURE(expect_oldest(model, popped, out));
  }
  producer.join();
}

}  // namespace
}  // namespace wperf::driver
