// SPDX-License-Identifier: BSD-3-Clause
// Tests reading branches from branch stacks instead of samples.
#include <gtest/gtest.h>

#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_data_builder_test.h"
#include "model/stacks/branch_edges.h"

namespace wperf::recording {
namespace {

using perf_data::RecordType;
using perf_data::test::Fields;
using stacks::BranchCount;

constexpr u64 kFields =
    perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime | perf_data::kSampleBranchStack;
constexpr u64 kMispredicted = 1, kPredicted = 2, kCycle = 16;  // in a branch's flags
constexpr u64 kKernelAddress = ~u64{0} - 0x1000;

class RecordedBranchesTest : public testing::Test {
 protected:
  RecordedBranchesTest() {
    builder_.event(perf_data::test::attributes(kFields));
    builder_.add(RecordType::comm, Fields().u32s({7, 7}).text("prog").u32s({7, 7}).u64s({0}));
  }
  // Adds a sample. Arguments: from, to and flags of each branch.
  void sample(u64 time, std::initializer_list<u64> branches) {
    constexpr u64 kNoIndex = ~u64{0};
    Fields body;
    body.u64s({0x1000}).u32s({7, 7}).u64s({time, branches.size() / 3, kNoIndex}).u64s(branches);
    builder_.add(RecordType::sample, body, perf_data::kUserMode);
  }
  stacks::StackProfile read(const std::optional<request::TimeSpan>& time = {}) {
    bytes_ = builder_.build();
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    return read_recorded_samples(file, {.time = time, .branches = true}).profile;
  }
  static const stacks::StackEvent& event(const stacks::StackProfile& profile, BranchCount counted) {
    return profile.events.at(static_cast<usize>(counted));
  }

  perf_data::test::FileBuilder builder_;

 private:
  std::vector<std::byte> bytes_;
};

TEST_F(RecordedBranchesTest, FlagsTellPredictionAndCycles) {
  sample(1, {0x1000, 0x2000, kMispredicted + 5 * kCycle, 0x3000, 0x2000, kPredicted, 0x3000, 0x2000, 0});
  const stacks::StackProfile profile = read();
  EXPECT_EQ(event(profile, BranchCount::taken).samples, 3u);
  EXPECT_EQ(event(profile, BranchCount::judged).samples, 2u);
  EXPECT_EQ(event(profile, BranchCount::mispredicted).samples, 1u);
  EXPECT_EQ(event(profile, BranchCount::timed).samples, 1u);
  EXPECT_EQ(event(profile, BranchCount::timed).period, 5u);
  ASSERT_EQ(profile.tasks.size(), 1u);
  EXPECT_EQ(profile.names.at(profile.tasks[0].name), "prog");
}

TEST_F(RecordedBranchesTest, EmptyEntriesAndSamplesOutsideOfTheTimeDoNotCount) {
  sample(1'000'000'000, {0x1000, 0x2000, 0, 0, 0, 0});
  sample(3'000'000'000, {0x1000, 0x2000, 0});
  EXPECT_EQ(event(read(), BranchCount::taken).samples, 2u);
  EXPECT_EQ(event(read(request::TimeSpan{1.0, {}}), BranchCount::taken).samples, 1u);
}

TEST_F(RecordedBranchesTest, BothEndsAreNamedByTheirOwnMode) {
  sample(1, {0x1000, kKernelAddress, 0, kKernelAddress, 0x1000, 0});
  const stacks::StackProfile profile = read();
  const stacks::BranchEdges edges = stacks::branch_edges(profile, {});
  ASSERT_EQ(edges.rows.size(), 2u);
  for (const stacks::BranchEdge& edge : edges.rows) {
    const auto is_kernel = [&](u32 place) { return profile.functions[profile.places[place].function].is_kernel; };
    EXPECT_NE(is_kernel(edge.from), is_kernel(edge.to));
  }
}

}  // namespace
}  // namespace wperf::recording
