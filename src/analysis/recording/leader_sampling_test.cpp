// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_data_builder_test.h"
#include "model/request/recording_view.h"

namespace wperf::recording {
namespace {

using perf_data::test::Fields;

constexpr u64 kInherited = 1u << 1, kTrailers = 1u << 18;
constexpr u64 kFieldsOfLeader = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                                perf_data::kSampleId | perf_data::kSampleRead;
constexpr u64 kId = 42;

// A leader that is read with each of its samples.
class LeaderSamplingTest : public testing::Test {
 protected:
  void event(u64 flags) {
    builder_.event(
        perf_data::test::attributes(kFieldsOfLeader, perf_data::kReadId | perf_data::kReadGroup, flags | kTrailers),
        {kId});
  }
  void sample(u32 tid, u64 time, u64 value) {
    builder_.add(perf_data::RecordType::sample,
                 Fields().u64s({0x1000}).u32s({7, tid}).u64s({time, kId, 1, value, kId}));
  }
  stacks::StackProfile read(std::optional<request::TimeSpan> time = std::nullopt) {
    bytes_ = builder_.build();
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    return read_recorded_samples(file, {.time = time, .signatures = true}).profile;
  }

 private:
  perf_data::test::FileBuilder builder_;
  std::vector<std::byte> bytes_;
};

TEST_F(LeaderSamplingTest, AnInheritedEventHasACountForEachThread) {
  event(kInherited);
  for (u64 i = 1; i <= 10; ++i) {
    sample(7, i * 100, i * 1000);
    sample(8, i * 100 + 50, i * 600);
  }
  const stacks::StackProfile profile = read();
  EXPECT_EQ(profile.events[0].period, 16'000u);
  EXPECT_EQ(profile.events[0].samples, 20u);
  EXPECT_EQ(profile.losses.damaged_records, 0u);
}

TEST_F(LeaderSamplingTest, ThreadsWithEqualCountsAreAllThere) {
  event(kInherited);
  for (u64 i = 1; i <= 10; ++i) {
    sample(7, i * 100, i * 1000);
    sample(8, i * 100 + 50, i * 1000);
  }
  const stacks::StackProfile profile = read();
  EXPECT_EQ(profile.events[0].period, 20'000u);
  EXPECT_EQ(profile.events[0].samples, 20u);
}

TEST_F(LeaderSamplingTest, ACountThatIsNotInheritedIsOneForAllThreads) {
  event(0);
  sample(7, 100, 1000);
  sample(8, 150, 1500);
  sample(7, 200, 2500);
  EXPECT_EQ(read().events[0].period, 2500u);
}

TEST_F(LeaderSamplingTest, DecreasingCountIsDamage) {
  event(0);
  sample(7, 100, 1000);
  sample(7, 200, 400);
  sample(7, 300, 700);
  const stacks::StackProfile profile = read();
  EXPECT_EQ(profile.events[0].period, 1300u);
  EXPECT_EQ(profile.events[0].samples, 2u);
  EXPECT_EQ(profile.losses.damaged_records, 1u);
}

TEST_F(LeaderSamplingTest, CountsFromBeforeTheWantedTimeAreLeftOut) {
  event(0);
  for (u64 i = 1; i <= 10; ++i) sample(7, i * 1'000'000'000, i * 1000);
  const stacks::StackProfile profile = read(request::TimeSpan{.from = 6.5, .to = std::nullopt});
  EXPECT_EQ(profile.events[0].samples, 3u);  // seconds 8, 9 and 10; time starts at the first sample
  EXPECT_EQ(profile.events[0].period, 3000u);
}

}  // namespace
}  // namespace wperf::recording
