// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/consistent_counts.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace wperf::pgo {
namespace {

FlowGraph graph_of(u32 blocks, std::vector<FlowEdge> edges) {
  FlowGraph graph;
  for (u32 i = 0; i < blocks; ++i) graph.blocks.push_back({.begin = 64 * i, .last = 64 * i + 36, .instructions = 10});
  graph.blocks.front().enters = true;
  graph.blocks.back().leaves = true;
  graph.edges = std::move(edges);
  return graph;
}

FlowSamples samples_of(const FlowGraph& graph, std::vector<double> blocks) {
  FlowSamples samples;
  samples.blocks = std::move(blocks);
  samples.populations.assign(graph.blocks.size(), 10);
  samples.edges.assign(graph.edges.size(), FlowSamples::kUnknown);
  return samples;
}

// if (…) 1 else 2
const std::vector<FlowEdge> kDiamond = {{0, 1, false}, {0, 2, true}, {1, 3, true}, {2, 3, false}};

TEST(ConsistentCounts, AsMuchComesOutAsGoesIn) {
  const FlowGraph graph = graph_of(4, kDiamond);
  const std::vector<double> counts = consistent_counts(graph, samples_of(graph, {1100, 710, 330, 900})).blocks;
  EXPECT_NEAR(counts[0], counts[3], 0.01);
  EXPECT_NEAR(counts[1] + counts[2], counts[0], 0.01);
  EXPECT_NEAR(counts[0], 101, 2);
  EXPECT_NEAR(counts[1], 69, 2);
}

TEST(ConsistentCounts, ABlockWithoutSamplesRanIfItHadTo) {
  const FlowGraph graph = graph_of(3, {{0, 1, false}, {1, 2, false}});
  FlowSamples samples = samples_of(graph, {1000, 0, 1000});
  samples.populations[1] = 0;  // none of its instructions can be sampled
  const std::vector<double> counts = consistent_counts(graph, samples).blocks;
  EXPECT_NEAR(counts[1], 100, 1);
}

TEST(ConsistentCounts, BranchesSayHowOftenEachSideRan) {
  const FlowGraph graph = graph_of(4, kDiamond);
  FlowSamples samples = samples_of(graph, {0, 0, 0, 0});
  samples.populations.assign(4, 0);
  samples.edges[0] = 300;
  samples.edges[1] = 100;
  const std::vector<double> counts = consistent_counts(graph, samples).blocks;
  EXPECT_NEAR(counts[0], 400, 4);
  EXPECT_NEAR(counts[1], 300, 4);
  EXPECT_NEAR(counts[2], 100, 4);
  EXPECT_NEAR(counts[3], 400, 4);
}

TEST(ConsistentCounts, JumpsThroughATableReachAllItsTargets) {
  FlowGraph graph = graph_of(4, {{1, 3, true}, {2, 3, false}});
  graph.blocks[0].jumps_by_table = graph.blocks[1].is_table_target = graph.blocks[2].is_table_target = true;
  const std::vector<double> counts = consistent_counts(graph, samples_of(graph, {1050, 600, 400, 950})).blocks;
  EXPECT_NEAR(counts[0], counts[1] + counts[2], 0.01);
  EXPECT_NEAR(counts[0], counts[3], 0.01);
}

// A function that is one switch, sampled by a timer: the second block has the jump and was never sampled.
struct Switch {
  FlowGraph graph = graph_of(10, {{0, 1, false}});
  std::vector<double> blocks = {179, 0, 332, 378, 375, 241, 109, 45, 49, 401};
  std::vector<double> populations = {3, 0, 2, 12, 2, 8, 1, 2, 3, 2};

  Switch() {
    graph.blocks[1].jumps_by_table = true;
    for (usize i = 2; i < graph.blocks.size(); ++i) graph.blocks[i].is_table_target = graph.blocks[i].leaves = true;
  }
  FlowCounts counts(double scale) const {
    FlowSamples samples = samples_of(graph, blocks);
    samples.populations = populations;
    for (double& one : samples.blocks) one *= scale;
    return consistent_counts(graph, samples);
  }
};

TEST(ConsistentCounts, CasesOfASwitchKeepTheirSamples) {
  const Switch one;
  const FlowCounts counts = one.counts(1);
  double cases = 0;
  for (usize i = 2; i < counts.blocks.size(); ++i) {
    const double mean = one.blocks[i] / one.populations[i];
    EXPECT_GT(counts.blocks[i], mean / 4) << i;
    EXPECT_LT(counts.blocks[i], mean * 2) << i;
    cases += counts.blocks[i];
  }
  for (const usize other : {4u, 9u}) {  // these blocks have as many samples and instructions
    EXPECT_GT(counts.blocks[2], counts.blocks[other] / 2);
    EXPECT_LT(counts.blocks[2], counts.blocks[other] * 2);
  }
  EXPECT_NEAR(cases, counts.blocks[0], 1e-3 * cases);
  EXPECT_NEAR(counts.blocks[1], counts.blocks[0], 1e-3 * cases);
  EXPECT_NEAR(counts.entries, counts.blocks[0], 1e-3 * cases);
}

TEST(ConsistentCounts, TwiceTheSamplesAreTwiceTheCounts) {
  const Switch one;
  const FlowCounts once = one.counts(1);
  for (const double scale : {2, 4, 100}) {
    const FlowCounts more = one.counts(scale);
    for (usize i = 0; i < once.blocks.size(); ++i) {
      EXPECT_NEAR(more.blocks[i], scale * once.blocks[i], 0.05 * scale * once.blocks[i]) << scale << " " << i;
    }
  }
}

TEST(ConsistentCounts, ALoopToTheFirstBlockDoesNotEnterTheFunction) {
  const FlowGraph graph = graph_of(2, {{0, 0, true}, {0, 1, false}});
  const FlowCounts counts = consistent_counts(graph, samples_of(graph, {1000, 100}));
  EXPECT_NEAR(counts.entries, 10, 0.5);
  EXPECT_NEAR(counts.blocks[0], 100, 1);
}

// Jumps from everywhere to everywhere, so elimination is only approximate.
TEST(ConsistentCounts, AlsoInFunctionsWithoutStructure) {
  constexpr u32 kBlocks = 1000, kSteps = 400'000;
  std::mt19937 random(3);
  std::vector<FlowEdge> edges;
  for (u32 i = 0; i + 1 < kBlocks; ++i) {
    edges.push_back({i, i + 1, false});
    edges.push_back({i, static_cast<u32>(random() % kBlocks), true});
  }
  std::vector<double> truth(kBlocks), sampled;
  for (u32 step = 0, at = 0; step < kSteps; ++step) {
    truth[at] += 0.01;
    at = at + 1 == kBlocks ? 0 : edges[2 * at + random() % 2].to;
  }
  for (const double one : truth) sampled.push_back(std::poisson_distribution<u32>(10 * one + 1e-9)(random));
  const FlowGraph graph = graph_of(kBlocks, std::move(edges));
  const FlowCounts counts = consistent_counts(graph, samples_of(graph, sampled));
  double before = 0, after = 0;
  for (u32 i = 0; i < kBlocks; ++i) {
    before += std::abs(sampled[i] / 10 - truth[i]);
    after += std::abs(counts.blocks[i] - truth[i]);
  }
  EXPECT_LT(after, 0.9 * before);
  EXPECT_NEAR(counts.entries, counts.blocks.back(), 0.01);
}

// A long row of diamonds, with few samples: the error becomes smaller. The computation is fast, although the graph is
// huge.
TEST(ConsistentCounts, FewerErrorsAlsoInHugeFunctions) {
  std::mt19937 random(1);
  for (const u32 diamonds : {100u, 30'000u}) {
    std::vector<FlowEdge> edges;
    std::vector<double> truth, sampled;
    for (u32 i = 0; i < diamonds; ++i) {
      const u32 first = 3 * i;
      for (const FlowEdge& edge : kDiamond) edges.push_back({first + edge.from, first + edge.to, edge.is_taken});
      const double share = static_cast<double>(random() % 100) / 100;
      for (const double part : {1.0, share, 1 - share}) truth.push_back(2 * part);
    }
    truth.push_back(2);
    for (const double one : truth) sampled.push_back(std::poisson_distribution<u32>(10 * one + 1e-9)(random));
    const FlowGraph graph = graph_of(static_cast<u32>(truth.size()), std::move(edges));
    const std::vector<double> counts = consistent_counts(graph, samples_of(graph, sampled)).blocks;
    double before = 0, after = 0;
    for (usize i = 0; i < truth.size(); ++i) {
      before += std::abs(sampled[i] / 10 - truth[i]);
      after += std::abs(counts[i] - truth[i]);
    }
    EXPECT_LT(after, 0.7 * before) << diamonds;
  }
}

TEST(ConsistentCounts, NothingIsInvented) {
  FlowGraph graph = graph_of(4, kDiamond);
  for (const double one : consistent_counts(graph, samples_of(graph, {0, 0, 0, 0})).blocks) EXPECT_EQ(one, 0);
  EXPECT_TRUE(consistent_counts({}, {}).blocks.empty());
  // A loop that is never left, as after damaged code.
  graph.edges = {{0, 1, false}, {1, 0, true}};
  for (const double one : consistent_counts(graph, samples_of(graph, {50, 70, 5, 0})).blocks) EXPECT_GE(one, 0);
}

}  // namespace
}  // namespace wperf::pgo
