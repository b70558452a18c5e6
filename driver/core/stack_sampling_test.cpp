// SPDX-License-Identifier: BSD-3-Clause
// Sampling with stacks through the driver's requests: samples that wait for their walk, lost walks and the reasons.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "driver/core/sampling_fixture.h"

namespace wperf::driver {
namespace {

constexpr u64 kStackBase = 0x10'0000;
constexpr u64 kCaller = 0x7ff6'0000'0000;

struct StackSample {
  WperfSample sample;
  WperfStack stack;
  std::vector<u64> frames;
};

class StackSampling : public Sampling {
 protected:
  StackSampling() {
    hal.on_interrupt = [this](u32 number) {
      core.on_overflow(number, {steps[number], 7, 100 + number, 200, exception_level, fp, kStackBase,
                                reinterpret_cast<u64>(kernel_stack.data()),
                                reinterpret_cast<u64>(kernel_stack.data() + kernel_stack.size())});
    };
    hal.walks.on_walk = [this](u32 ticket, const WalkedStack& stack) { core.on_user_walk(ticket, stack); };
    hal.walks.on_lost = [this](u32 ticket) { core.on_user_walk_lost(ticket); };
    hal.walks.read_memory = [this](u64 address, void* to, usize size) {
      const u64 index = (address - kStackBase) / 16;
      if (address < kStackBase || index >= depth) {
        return false;
      }
      const u64 record[2] = {index + 1 < depth ? address + 16 : 0, kCaller + index};
      std::memcpy(to, record, size);
      return true;
    };
  }
  WperfSampleRequest request(u32 max_stack = 127) {
    WperfSampleRequest made = sample_request({0}, {{10, 0, 10}});  // at each step
    made.max_stack = max_stack;
    made.flags = WPERF_SAMPLE_KERNEL;
    return made;
  }
  std::vector<StackSample> drain_stacks(TestClient& client) {
    std::vector<StackSample> samples;
    do {
      EXPECT_EQ(client.drain(0, *answer), WPERF_OK);
      for (u32 at = 0; at < answer->bytes;) {
        StackSample one = {};
        std::memcpy(&one.sample, answer->records + at, sizeof one.sample);
        at += static_cast<u32>(sizeof one.sample);
        if (one.sample.stack_words != 0) {
          std::memcpy(&one.stack, answer->records + at, sizeof one.stack);
          one.frames.resize(one.sample.stack_words - 1u);
          if (!one.frames.empty()) std::memcpy(one.frames.data(), answer->records + at + 8, one.frames.size() * 8);
          EXPECT_EQ(one.frames.size(), one.stack.kernel_frames + one.stack.user_frames);
        }
        at += one.sample.stack_words * 8u;
        samples.push_back(one);
      }
    } while (answer->more != 0);
    return samples;
  }

  std::unique_ptr<WperfStackDrainReply> answer = std::make_unique<WperfStackDrainReply>();
  u64 fp = kStackBase;
  u64 depth = 3;
  std::vector<u64> kernel_stack;
};

TEST_F(StackSampling, ASampleComesWithItsCallersWhenItsThreadGoesOn) {
  begin(request());
  run(0, 1);
  EXPECT_TRUE(drain_stacks(ann).empty());
  EXPECT_EQ(answer->taken, 0u);
  hal.take_walks();
  const auto samples = drain_stacks(ann);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].sample.pc, 1u);
  EXPECT_EQ(samples[0].sample.thread, 200u);
  EXPECT_EQ(samples[0].stack.user_frames, 3u);
  EXPECT_EQ(samples[0].stack.kernel_frames, 0u);
  EXPECT_EQ(samples[0].stack.flags, 0u);
  EXPECT_EQ(samples[0].frames, (std::vector<u64>{kCaller, kCaller + 1, kCaller + 2}));
  EXPECT_EQ(answer->taken, 1u);
}

TEST_F(StackSampling, DeepStacksAreCutAndCounted) {
  depth = 200;
  begin(request(127));
  run(0, 1);
  hal.take_walks();
  auto samples = drain_stacks(ann);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].stack.user_frames, 127u);
  EXPECT_EQ(samples[0].stack.flags, u32{WPERF_STACK_CUT});
  EXPECT_EQ(answer->cut_stacks, 1u);
  depth = 4;
  run(0, 1);
  hal.take_walks();
  EXPECT_EQ(drain_stacks(ann).at(0).stack.flags, 0u);
  EXPECT_EQ(answer->cut_stacks, 1u);
}

TEST_F(StackSampling, SamplesBeyondWalkLimitLoseTheirStacks) {
  begin(request());
  run(0, kWalksPerCore + 3);
  hal.take_walks();
  const auto samples = drain_stacks(ann);
  ASSERT_EQ(samples.size(), kWalksPerCore + 3);
  u32 lost = 0;
  for (const StackSample& one : samples) {
    lost += one.stack.flags == u32{WPERF_STACK_LOST} && one.frames.empty() ? 1 : 0;
  }
  EXPECT_EQ(lost, 3u);
  EXPECT_EQ(answer->lost_stacks, 3u);
  EXPECT_EQ(answer->taken, kWalksPerCore + 3);
  hal.walks.refuse = true;
  run(0, 1);
  EXPECT_EQ(drain_stacks(ann).at(0).stack.flags, u32{WPERF_STACK_LOST});
}

TEST_F(StackSampling, StoppingGivesUpOnWhoStillWaits) {
  begin(request());
  run(0, 5);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_TRUE(hal.walks.waiting.empty());
  const auto samples = drain_stacks(ann);
  ASSERT_EQ(samples.size(), 5u);
  EXPECT_EQ(samples[0].stack.flags, u32{WPERF_STACK_LOST});
  EXPECT_EQ(answer->lost_stacks, 5u);
}

TEST_F(StackSampling, PendingSamplesOfDeadClientAreDropped) {
  begin(request());
  run(0, 5);
  core.client_gone(11);
  EXPECT_TRUE(hal.walks.waiting.empty());
  EXPECT_EQ(hal.walks.placed, nullptr);
}

TEST_F(StackSampling, ThreadsThatEndComeWithoutTheirStacks) {
  begin(request());
  run(0, 3);
  hal.walks.lose();
  EXPECT_EQ(drain_stacks(ann).size(), 3u);
  EXPECT_EQ(answer->lost_stacks, 3u);
}

// A walk that does not end keeps its entry even if its client ends, and no code waits for it.
TEST_F(StackSampling, WalksThatDoNotEndTakePlacesFromOthersUntilTheNextConfiguration) {
  begin(request());
  run(0, 3);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(hal.walks.endless.size(), 3u);
  EXPECT_EQ(drain_stacks(ann).size(), 3u);
  EXPECT_EQ(answer->lost_stacks, 3u);
  ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  run(0, kWalksPerCore);
  EXPECT_EQ(hal.walks.waiting.size(), kWalksPerCore - 3u);
  hal.take_walks();
  EXPECT_EQ(drain_stacks(ann).size(), kWalksPerCore);
  EXPECT_EQ(answer->lost_stacks, 6u);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  begin(request());
  run(0, kWalksPerCore);
  hal.take_walks();
  EXPECT_EQ(drain_stacks(ann).size(), kWalksPerCore);
  EXPECT_EQ(answer->lost_stacks, 0u);
}

TEST_F(StackSampling, WalksEndWithTheThreadsStack) {
  hal.walks.stack_limits = {kStackBase - 0x1000, kStackBase + 2 * 16};
  begin(request());
  run(0, 1);
  hal.take_walks();
  EXPECT_EQ(drain_stacks(ann).at(0).frames, (std::vector<u64>{kCaller, kCaller + 1}));
}

TEST_F(StackSampling, KernelStacksAreWalkedInTheInterrupt) {
  exception_level = 1;
  kernel_stack.assign(8, 0);
  const u64 base = reinterpret_cast<u64>(kernel_stack.data());
  kernel_stack[0] = base + 32;
  kernel_stack[1] = 0xffff'f800'0000'1000;
  kernel_stack[4] = base + 64;  // beyond the stack
  kernel_stack[5] = 0xffff'f800'0000'2000;
  fp = base;
  begin(request());
  run(0, 1);
  const auto samples = drain_stacks(ann);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].sample.exception_level, 1u);
  EXPECT_EQ(samples[0].stack.kernel_frames, 2u);
  EXPECT_EQ(samples[0].frames, (std::vector<u64>{0xffff'f800'0000'1000, 0xffff'f800'0000'2000}));
}

TEST_F(StackSampling, AFullRingLosesStacksBeforeSamples) {
  WperfSampleRequest small = request();
  small.ring_samples = 1;  // 21 words
  depth = 20;
  begin(small);
  run(0, 4);
  hal.take_walks();
  const auto samples = drain_stacks(ann);
  ASSERT_EQ(samples.size(), 3u) << "six words each";
  for (const StackSample& one : samples) {
    EXPECT_EQ(one.stack.flags, u32{WPERF_STACK_LOST});
  }
  EXPECT_EQ(answer->lost_stacks, 3u);
  EXPECT_EQ(answer->lost_ring_full, 1u);
  EXPECT_EQ(answer->taken, 4u);
}

TEST_F(StackSampling, EachKindOfSessionHasItsOwnDrain) {
  begin(request());
  EXPECT_EQ(ann.drain(0, reply), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.drain(0, *answer), WPERF_OK);
  EXPECT_EQ(ann.drain(1, *answer), WPERF_BAD_ARGUMENT);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  WperfSampleRequest without = request(0);
  begin(without);
  EXPECT_EQ(ann.drain(0, *answer), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.drain(0, reply), WPERF_OK);
  ASSERT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(ann.configure(request(128)), WPERF_BAD_ARGUMENT);
}

TEST_F(StackSampling, OthersProcessesKeepTheirStacks) {
  TestClient user{core, 33, false};
  ASSERT_EQ(user.lock(WPERF_LOCK_FORCE), WPERF_OK);
  WperfSampleRequest own = request();
  EXPECT_EQ(user.configure(own), WPERF_ACCESS_DENIED) << "the kernel is for administrators";
  own.flags = 0;
  ASSERT_EQ(user.configure(own), WPERF_OK);
  ASSERT_EQ(user.start_sampling(), WPERF_OK);
  run(0, 2);
  hal.take_walks();
  hal.hidden_processes = {100};
  EXPECT_TRUE(drain_stacks(user).empty());
  EXPECT_EQ(answer->lost_filtered, 2u);
  for (const u8 byte : answer->records) {
    ASSERT_EQ(byte, 0u);
  }
  hal.hidden_processes = {};
  run(0, 2);
  hal.take_walks();
  EXPECT_EQ(drain_stacks(user).size(), 2u);
}

TEST_F(StackSampling, LongWalksHoldSamplesBack) {
  hal.walks.read_memory = [this](u64, void*, usize) {
    hal.now_ns += 1'000'000;
    return false;
  };
  begin(request());
  for (u32 i = 0; i < 200; ++i) {
    run(0, 1);
    hal.take_walks();
  }
  static_cast<void>(drain_stacks(ann));
  EXPECT_GT(answer->held_back, 100u);
}

}  // namespace
}  // namespace wperf::driver
