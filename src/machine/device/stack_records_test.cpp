// SPDX-License-Identifier: BSD-3-Clause
#include "machine/device/stack_records.h"

#include <gtest/gtest.h>

#include <vector>

namespace wperf::device {
namespace {

class Records {
 public:
  Records& add(u64 pc, u8 kernel, u8 user, std::vector<u64> frames, u8 words) {
    WperfSample sample{};
    sample.pc = pc;
    sample.lr = 77;
    sample.overflowed = 1;
    sample.stack_words = words;
    put(sample);
    if (words == 0) return *this;
    WperfStack stack{};
    stack.kernel_frames = kernel;
    stack.user_frames = user;
    put(stack);
    for (const u64 frame : frames) put(frame);
    return *this;
  }
  std::vector<std::byte> bytes;

 private:
  template <typename Struct>
  void put(const Struct& what) {
    const auto* begin = reinterpret_cast<const std::byte*>(&what);
    bytes.insert(bytes.end(), begin, begin + sizeof what);
  }
};

TEST(StackRecords, BecomeSamplesThatShareAPool) {
  Records records;
  records.add(1, 0, 2, {10, 11}, 3).add(2, 0, 0, {}, 0).add(3, 1, 1, {20, 21}, 3).add(4, 0, 0, {}, 1);
  readings::SampleCapture capture;
  ASSERT_TRUE(append_stack_records(records.bytes, capture));
  ASSERT_EQ(capture.samples.size(), 4u);
  EXPECT_EQ(capture.frames, (std::vector<u64>{10, 11, 20, 21}));
  EXPECT_EQ(capture.samples[0].first_frame, 0u);
  EXPECT_EQ(capture.samples[0].frame_count, 2u);
  EXPECT_EQ(capture.samples[1].frame_count, 0u);
  EXPECT_EQ(capture.samples[2].kernel_frames, 1u);
  EXPECT_EQ(capture.samples[2].first_frame, 2u);
  EXPECT_EQ(capture.samples[3].frame_count, 0u);
}

TEST(StackRecords, AStackWithoutFramesMayComeFirst) {
  Records records;
  records.add(1, 0, 0, {}, 1);
  readings::SampleCapture capture;
  ASSERT_TRUE(append_stack_records(records.bytes, capture));
  ASSERT_EQ(capture.samples.size(), 1u);
  EXPECT_EQ(capture.samples[0].frame_count, 0u);
  EXPECT_TRUE(capture.frames.empty());
}

TEST(StackRecords, WhatIsCutOffOrContradictsItselfEndsTheReading) {
  Records good;
  good.add(1, 0, 2, {10, 11}, 3);
  for (size_t size = 1; size < good.bytes.size(); ++size) {
    readings::SampleCapture capture;
    EXPECT_FALSE(append_stack_records(std::span(good.bytes).first(size), capture)) << size;
    EXPECT_TRUE(capture.samples.empty());
  }
  Records liar;
  liar.add(1, 0, 2, {10, 11}, 3).add(2, 9, 9, {10, 11}, 3);
  readings::SampleCapture capture;
  EXPECT_FALSE(append_stack_records(liar.bytes, capture));
  EXPECT_EQ(capture.samples.size(), 1u);
}

}  // namespace
}  // namespace wperf::device
