// SPDX-License-Identifier: BSD-3-Clause
// Estimates how often the blocks of a function ran. Samples are random, but executions are not: a block runs as often
// as execution enters it, and as often as execution leaves it. The result has this property: the most likely counts, if
// the samples of each block have Poisson's distribution.
#pragma once
#include <vector>

#include "analysis/pgo/flow_graph.h"

namespace wperf::pgo {

// The samples of one function. Counts are samples per instruction that could be sampled.
struct FlowSamples {
  static constexpr double kUnknown = -1;
  std::vector<double> blocks;       // the samples of each block
  std::vector<double> populations;  // how many of its instructions could be sampled
  std::vector<double> edges;        // the samples of each edge, or kUnknown
};

struct FlowCounts {
  std::vector<double> blocks;  // the count of each block
  double entries = 0;          // how often the first block was entered from outside of the function
};

// Takes time in proportion to the size of the function. Returns the counts of the samples if it finds no consistent
// counts, which happens only in huge functions.
FlowCounts consistent_counts(const FlowGraph& graph, const FlowSamples& samples);

}  // namespace wperf::pgo
