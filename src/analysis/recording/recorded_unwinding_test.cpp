// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_unwinding.h"

#include <gtest/gtest.h>

#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using perf_data::test::Fields;
using stacks::AddressKind;
using stacks::StackFrame;

constexpr u64 kTrailersAndDeferral = (u64{1} << 18) | (u64{1} << 38);
constexpr u64 kFieldsOfChains = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleCallchain;
constexpr u64 kInKernel = 0xffff'8000'0000'1000, kInProgram = 0x40'1000, kCalledFrom = 0x40'2000;

// Samples with a user part that comes later in a separate record.
class DeferredStacksTest : public testing::Test {
 protected:
  DeferredStacksTest() { builder_.event(perf_data::test::attributes(kFieldsOfChains, 0, kTrailersAndDeferral)); }
  void sample(u32 tid, u64 ip, u64 cookie) {
    builder_.add(perf_data::RecordType::sample,
                 Fields().u64s({ip}).u32s({7, tid}).u64s({3, ip, perf_data::kCallchainDeferred, cookie}),
                 ip == kInProgram ? perf_data::kUserMode : perf_data::kKernelMode);
  }
  void user_part(u32 tid, u64 cookie) {
    builder_.add(perf_data::RecordType::callchain_deferred,
                 Fields().u64s({cookie, 3, perf_data::kCallchainUser, kInProgram, kCalledFrom}).u32s({7, tid}));
  }
  // The frames that were recorded with the first sample, followed by the appended ones.
  std::vector<StackFrame> frames(std::vector<StackFrame> at_once) {
    bytes_ = builder_.build();
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    const DeferredStacks deferred(file);
    bool is_done = false;
    file.for_each_record(perf_data::Visitors{[&](const perf_data::Sample& sample, const perf_data::Record&) {
      if (is_done) return;
      is_done = true;
      EXPECT_TRUE(DeferredStacks::is_put_off(sample));
      found_ = deferred.append_to(at_once, sample);
    }});
    return at_once;
  }
  stacks::StackProfile profile() {
    bytes_ = builder_.build();
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    return read_recorded_samples(file, {.callers = true, .signatures = true}).profile;
  }
  bool found_ = false;

 private:
  perf_data::test::FileBuilder builder_;
  std::vector<std::byte> bytes_;
};

TEST_F(DeferredStacksTest, TheUserPartFollowsTheKernels) {
  sample(7, kInKernel, 99);
  user_part(7, 99);
  const StackFrame kernel{kInKernel, AddressKind::kernel};
  EXPECT_EQ(frames({kernel}),
            (std::vector<StackFrame>{kernel, {kInProgram, AddressKind::user}, {kCalledFrom, AddressKind::user}}));
  EXPECT_TRUE(found_);
}

TEST_F(DeferredStacksTest, TheSampledInstructionComesOnce) {
  sample(7, kInProgram, 99);
  user_part(7, 99);
  const StackFrame program{kInProgram, AddressKind::user};
  EXPECT_EQ(frames({program}), (std::vector<StackFrame>{program, {kCalledFrom, AddressKind::user}}));
}

TEST_F(DeferredStacksTest, AnotherThreadsPartIsNotTaken) {
  sample(7, kInKernel, 99);
  user_part(8, 99);
  EXPECT_EQ(frames({}).size(), 0u);
  EXPECT_FALSE(found_);
}

TEST_F(DeferredStacksTest, EqualStacksCountAsOneWhateverTheirCookies) {
  for (const u64 cookie : {1, 2, 3}) {
    sample(7, kInKernel, cookie);
    user_part(7, cookie);
  }
  const stacks::StackProfile all = profile();
  EXPECT_EQ(all.samples.size(), 1u);
  EXPECT_EQ(all.nodes.size(), 4u);  // the root and three frames
  EXPECT_EQ(all.losses.stacks_undelivered, 0u);
}

TEST_F(DeferredStacksTest, WhatWasNotDeliveredIsCounted) {
  sample(7, kInKernel, 1);
  sample(7, kInKernel, 2);
  user_part(7, 2);
  EXPECT_EQ(profile().losses.stacks_undelivered, 1u);
}

TEST(ContinueByPointers, GoesOnBehindTheLastCommonCaller) {
  std::vector<u64> unwound = {1, 2, 3, 4};  // 3 has no frame pointer
  EXPECT_TRUE(continue_by_pointers(unwound, {1, 2, 4, 5, 6}));
  EXPECT_EQ(unwound, (std::vector<u64>{1, 2, 3, 4, 5, 6}));
}

TEST(ContinueByPointers, CountsRecursion) {
  std::vector<u64> unwound = {9, 9, 9};
  EXPECT_TRUE(continue_by_pointers(unwound, {9, 9, 9, 9, 9, 5}));
  EXPECT_EQ(unwound, (std::vector<u64>{9, 9, 9, 9, 9, 5}));
}

TEST(ContinueByPointers, NeedsACommonCallerAndMore) {
  std::vector<u64> unwound = {1, 2};
  EXPECT_FALSE(continue_by_pointers(unwound, {7, 8}));
  EXPECT_FALSE(continue_by_pointers(unwound, {1, 2}));
  EXPECT_FALSE(continue_by_pointers(unwound, {}));
  EXPECT_EQ(unwound.size(), 2u);
}

}  // namespace
}  // namespace wperf::recording
