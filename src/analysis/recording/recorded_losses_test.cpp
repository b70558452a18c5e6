// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_losses.h"

#include <gtest/gtest.h>

#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using perf_data::RecordType;
using perf_data::test::Fields;

constexpr u64 kFieldsOfLosses = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleCpu;

class RecordedLossesTest : public testing::Test {
 protected:
  void events_with(u64 read_format) { builder.event(perf_data::test::attributes(kFieldsOfLosses, read_format)); }
  void lost(u64 records, u32 core = 0) { add(RecordType::lost, Fields().u64s({0, records}), core, 0); }
  void lost_samples(u64 samples, u32 core = 0, u16 misc = 0) {
    add(RecordType::lost_samples, Fields().u64s({samples}), core, misc);
  }
  stacks::StackLosses reported() {
    bytes_ = builder.build();
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    return read_recorded_samples(file, {.signatures = true}).profile.losses;
  }
  perf_data::test::FileBuilder builder;

 private:
  void add(RecordType type, Fields body, u32 core, u16 misc) { builder.add(type, body.u32s({7, 7, core, 0}), misc); }
  std::vector<std::byte> bytes_;
};

TEST_F(RecordedLossesTest, CountsOfTheKernelContainWhatRingsToldOf) {
  events_with(perf_data::kReadLost);
  lost(5, 1);
  lost(2, 1);
  lost_samples(10, 1);
  lost_samples(4, 2);
  EXPECT_EQ(reported().lost_records, 7u);
  EXPECT_EQ(reported().lost_samples, 7u);
}

TEST_F(RecordedLossesTest, WithoutThemLossesOfTheHardwareStandBeside) {
  events_with(0);
  lost(7, 1);
  lost_samples(10, 1);
  EXPECT_EQ(reported().lost_records, 7u);
  EXPECT_EQ(reported().lost_samples, 10u);
}

TEST_F(RecordedLossesTest, ARecordingThatEndedBeforeTheCounts) {
  events_with(perf_data::kReadLost);
  lost(7, 3);
  EXPECT_EQ(reported().lost_records, 7u);
  EXPECT_EQ(reported().lost_samples, 0u);
}

TEST_F(RecordedLossesTest, WhatAFilterDroppedIsNotLost) {
  events_with(perf_data::kReadLost);
  lost_samples(1000, 0, perf_data::kMiscLostToFilter);
  EXPECT_EQ(reported().lost_samples, 0u);
}

TEST_F(RecordedLossesTest, SumsDoNotWrap) {
  events_with(0);
  lost(~u64{0});
  lost(9);
  lost_samples(~u64{0});
  lost_samples(~u64{0});
  EXPECT_EQ(reported().lost_records, ~u64{0});
  EXPECT_EQ(reported().lost_samples, ~u64{0});
}

}  // namespace
}  // namespace wperf::recording
