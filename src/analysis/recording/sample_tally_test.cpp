// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/sample_tally.h"

#include <gtest/gtest.h>

#include <map>

namespace wperf::recording {
namespace {

// Random-looking numbers, the same in every run.
struct Scatter {
  u64 state = 1;
  u64 below(u64 limit) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % limit;
  }
};

// Call chains of various lengths, as in a file.
struct Chains {
  std::vector<std::vector<u64>> words;
  explicit Chains(usize count) {
    Scatter scatter;
    for (usize i = 0; i < count; ++i) {
      std::vector<u64>& one = words.emplace_back();
      for (usize depth = scatter.below(i % 7 == 0 ? 400 : 12); depth > 0; --depth)
        one.push_back(0x400000 + scatter.below(999));
      one.push_back(0x500000 + i);  // all are different
    }
  }
  SampleChain operator[](usize i) const {
    return {.ip = 0x1000,
            .misc = perf_data::kUserMode,
            .callers = true,
            .callchain = bytes::Words(std::as_bytes(std::span(words[i]))),
            .calls = {}};
  }
};

struct Counted {
  u64 count = 0, period = 0;
  bool operator==(const Counted&) const = default;
};

// Enough samples for the thread to fall behind, to run out of work, and to be waited for.
TEST(SampleTally, CountsAllOfManySamplesEachInItsRow) {
  const Chains chains(3000);
  constexpr u64 kSamples = 100'000;
  SampleTally tally({.rows = true, .order = true, .slices = true});
  Scatter scatter{7};
  std::map<std::pair<usize, u32>, Counted> truth;  // keyed by chain and slice
  std::map<usize, Counted> truth_of_chain;
  std::vector<std::pair<usize, u32>> of_sample(kSamples + 5, {~usize{0}, 0});
  for (u64 sample = 0; sample < kSamples; ++sample) {
    if (sample % 1000 == 999) continue;  // a sample that a filter leaves out
    const usize chain = scatter.below(chains.words.size());
    const u32 slice = static_cast<u32>(sample / 30'000);
    const u64 period = 1 + scatter.below(9);
    tally.add(sample, chains[chain], {.event = 0, .task = 1, .core = 0, .space = 2, .slice = slice}, period);
    of_sample[sample] = {chain, slice};
    for (Counted* const counted : {&truth[of_sample[sample]], &truth_of_chain[chain]}) {
      ++counted->count;
      counted->period += period;
    }
  }
  tally.finish(of_sample.size());
  stacks::StackAggregator stacks = tally.take_stacks();
  const stacks::GrowingArray<stacks::StackSample> rows = stacks.take_samples();
  const stacks::GrowingArray<u32> row_of = tally.take_rows();
  std::map<std::pair<u32, u32>, Counted> slices;  // keyed by row and slice
  for (const stacks::SliceCount& one : tally.take_slices()) {
    Counted& counted = slices[{one.row, one.slice}];
    counted.count += one.count;
    counted.period += one.period;
  }
  const stacks::GrowingArray<u32> order = tally.take_order();
  ASSERT_EQ(rows.size(), truth_of_chain.size());
  ASSERT_EQ(slices.size(), truth.size());
  ASSERT_EQ(row_of.size(), of_sample.size());
  usize added = 0;
  for (usize sample = 0; sample < of_sample.size(); ++sample) {
    const auto known = truth.find(of_sample[sample]);
    if (known == truth.end()) {
      EXPECT_EQ(row_of[sample], stacks::StackAggregator::kNoRow);
      continue;
    }
    const u32 row = row_of[sample];
    ASSERT_LT(row, rows.size());
    ASSERT_LT(added, order.size());
    EXPECT_EQ(order[added++], row);
    EXPECT_EQ((Counted{rows[row].count, rows[row].period}), truth_of_chain[known->first.first]);
    EXPECT_EQ((slices[{row, known->first.second}]), known->second);
  }
}

TEST(SampleTally, FramesAreCountedInTheirTurn) {
  const Chains chains(300);
  SampleTally tally({.rows = true});
  for (u64 sample = 0; sample < 2000; ++sample) {
    const bool by_frames = sample % 500 == 499;
    const SampleChain chain = chains[sample % chains.words.size()];
    if (by_frames) {
      tally.add(sample, {{0x77, stacks::AddressKind::user, false}}, {}, 10);
    } else {
      tally.add(sample, chain, {}, 1);
    }
  }
  tally.finish(2000);
  stacks::StackAggregator stacks = tally.take_stacks();
  const stacks::GrowingArray<stacks::StackSample> rows = stacks.take_samples();
  ASSERT_EQ(rows.size(), 301u);
  EXPECT_EQ(rows[tally.take_rows()[1999]].period, 40u);
}

// A tally that is destroyed early leaves no thread running.
TEST(SampleTally, MayEndBeforeItIsFinished) {
  const Chains chains(300);
  SampleTally tally({});
  for (u64 sample = 0; sample < 5000; ++sample) tally.add(sample, chains[sample % 300], {}, 1);
}

}  // namespace
}  // namespace wperf::recording
