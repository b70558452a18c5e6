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
  const std::vector<double> counts = consistent_counts(graph, samples_of(graph, {1100, 710, 330, 900}));
  EXPECT_NEAR(counts[0], counts[3], 0.01);
  EXPECT_NEAR(counts[1] + counts[2], counts[0], 0.01);
  EXPECT_NEAR(counts[0], 101, 2);
  EXPECT_NEAR(counts[1], 69, 2);
}

TEST(ConsistentCounts, ABlockWithoutSamplesRanIfItHadTo) {
  const FlowGraph graph = graph_of(3, {{0, 1, false}, {1, 2, false}});
  FlowSamples samples = samples_of(graph, {1000, 0, 1000});
  samples.populations[1] = 0;  // it has nothing that could be sampled
  const std::vector<double> counts = consistent_counts(graph, samples);
  EXPECT_NEAR(counts[1], 100, 1);
}

TEST(ConsistentCounts, BranchesSayHowOftenEachSideRan) {
  const FlowGraph graph = graph_of(4, kDiamond);
  FlowSamples samples = samples_of(graph, {0, 0, 0, 0});
  samples.populations.assign(4, 0);
  samples.edges[0] = 300;
  samples.edges[1] = 100;
  const std::vector<double> counts = consistent_counts(graph, samples);
  EXPECT_NEAR(counts[0], 400, 4);
  EXPECT_NEAR(counts[1], 300, 4);
  EXPECT_NEAR(counts[2], 100, 4);
  EXPECT_NEAR(counts[3], 400, 4);
}

TEST(ConsistentCounts, JumpsThroughATableReachAllItsTargets) {
  FlowGraph graph = graph_of(4, {{1, 3, true}, {2, 3, false}});
  graph.blocks[0].jumps_by_table = graph.blocks[1].is_table_target = graph.blocks[2].is_table_target = true;
  const std::vector<double> counts = consistent_counts(graph, samples_of(graph, {1050, 600, 400, 950}));
  EXPECT_NEAR(counts[0], counts[1] + counts[2], 0.01);
  EXPECT_NEAR(counts[0], counts[3], 0.01);
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
    const std::vector<double> counts = consistent_counts(graph, samples_of(graph, sampled));
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
  for (const double one : consistent_counts(graph, samples_of(graph, {0, 0, 0, 0}))) EXPECT_EQ(one, 0);
  EXPECT_TRUE(consistent_counts({}, {}).empty());
  // A loop that is never left, as after damaged code.
  graph.edges = {{0, 1, false}, {1, 0, true}};
  for (const double one : consistent_counts(graph, samples_of(graph, {50, 70, 5, 0}))) EXPECT_GE(one, 0);
}

}  // namespace
}  // namespace wperf::pgo
