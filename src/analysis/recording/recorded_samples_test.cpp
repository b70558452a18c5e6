// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_samples.h"

#include <gtest/gtest.h>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using perf_data::test::Fields;

constexpr u64 kSecond = 1'000'000'000;

// Samples at seconds 12 and 13.
class TimedRecordingTest : public testing::Test {
 protected:
  TimedRecordingTest() {
    builder_.event(perf_data::test::attributes(perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime, 0,
                                               1u << 18));
    for (const u64 time : {12 * kSecond, 13 * kSecond})
      builder_.add(perf_data::RecordType::sample, Fields().u64s({0x1000}).u32s({7, 7}).u64s({time}));
  }
  void ran(u64 start_ns, u64 end_ns) {
    perf_data::RunFacts facts;
    facts.start_ns = start_ns;
    facts.end_ns = end_ns;
    const std::string bytes = perf_data::run_facts_bytes(facts);
    builder_.feature(static_cast<perf_data::Feature>(perf_data::kRunFactsFeature),
                     Fields().bytes(std::as_bytes(std::span(bytes))));
  }
  RecordedSamples read(const ReadOptions& wanted) {
    bytes_ = builder_.build();
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    return read_recorded_samples(file, wanted);
  }
  u64 samples_in(double from, double to) {
    return read({.time = request::TimeSpan{from, to}}).profile.events.at(0).samples;
  }

 private:
  perf_data::test::FileBuilder builder_;
  std::vector<std::byte> bytes_;
};

TEST_F(TimedRecordingTest, TimesBeginWithTheRun) {
  ran(10 * kSecond, 14 * kSecond);
  EXPECT_EQ(samples_in(1.5, 2.5), 1u);
  EXPECT_EQ(samples_in(0, 0.5), 0u);
  const RecordedSamples timed = read({.slice_ns = kSecond, .times = true});
  EXPECT_EQ(timed.profile.slices.begin_ns, 10 * kSecond);
  EXPECT_EQ(timed.moments.begin_ns, 10 * kSecond);
}

TEST_F(TimedRecordingTest, WithoutFactsOfTheRunTheyBeginWithTheFirstSample) {
  EXPECT_EQ(samples_in(0, 0.5), 1u);
  const RecordedSamples timed = read({.slice_ns = kSecond / 2, .times = true});
  EXPECT_EQ(timed.profile.slices.begin_ns, 12 * kSecond);
  EXPECT_EQ(timed.moments.begin_ns, 12 * kSecond);
  ran(14 * kSecond, 14 * kSecond);  // the length is not known
  EXPECT_EQ(samples_in(0, 0.5), 1u);
}

}  // namespace
}  // namespace wperf::recording
