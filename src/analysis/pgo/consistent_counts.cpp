// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/consistent_counts.h"

#include <algorithm>

namespace wperf::pgo {
namespace {

// A flow along an arc, as measured. A block is an arc from its entry to its exit.
struct Arc {
  u32 from = 0, to = 0;  // points, or kOutside
  double measured = 0, variance = 1;
};
constexpr u32 kOutside = ~u32{0};

class Solver {
 public:
  Solver(const FlowGraph& graph, const FlowSamples& samples) : graph_(graph), samples_(samples) {
    const auto count = static_cast<u32>(graph.blocks.size());
    table_ = 2 * count;
    for (u32 i = 0; i < count; ++i) arcs_.push_back({entry(i), exit(i)});
    for (const FlowEdge& edge : graph.edges) arcs_.push_back({exit(edge.from), entry(edge.to)});
    for (u32 i = 0; i < count; ++i) {
      const FlowBlock& block = graph.blocks[i];
      if (block.enters) arcs_.push_back({kOutside, entry(i)});
      if (block.leaves) arcs_.push_back({exit(i), kOutside});
      if (block.jumps_by_table) arcs_.push_back({exit(i), table_});
      if (block.is_table_target) arcs_.push_back({table_, entry(i)});
    }
    const usize points = 2 * usize{count} + 1;
    for (std::vector<double>* one : {&potential_, &residual_, &direction_, &image_, &diagonal_}) one->assign(points, 0);
  }

  std::vector<double> run() {
    constexpr u32 kRounds = 4;
    guess();
    for (u32 round = 0; round < kRounds; ++round) {
      measure();
      solve();
    }
    flows_.resize(graph_.blocks.size());
    return std::move(flows_);
  }

 private:
  static u32 entry(u32 block) { return 2 * block; }
  static u32 exit(u32 block) { return 2 * block + 1; }

  // Sets the measured flows. Their variances follow from the flows of the previous round.
  void measure() {
    const usize blocks = graph_.blocks.size();
    for (usize i = 0; i < blocks; ++i) set(arcs_[i], samples_.blocks[i], samples_.populations[i], flows_[i]);
    for (usize i = 0; i < graph_.edges.size(); ++i) {
      const double samples = samples_.edges[i];
      set(arcs_[blocks + i], samples, samples == FlowSamples::kUnknown ? 0 : 1, flows_[blocks + i]);
    }
    for (usize i = blocks + graph_.edges.size(); i < arcs_.size(); ++i) set(arcs_[i], 0, 0, flows_[i]);
  }
  // Counts of samples have the variance of a Poisson distribution. If there cannot be samples, `flow` is a guess.
  static void set(Arc& arc, double samples, double population, double flow) {
    constexpr double kUncertainty = 2;
    const bool is_known = population > 0;
    arc.measured = is_known ? samples / population : flow;
    arc.variance = is_known ? (flow * population + 1) / (population * population)
                            : (flow + 1) * (flow + 1) * kUncertainty * kUncertainty;
  }
  // The first guess: all branches are divided in proportion to the samples of the next blocks.
  void guess() {
    const usize blocks = graph_.blocks.size();
    flows_.assign(arcs_.size(), 0);
    for (usize i = 0; i < blocks; ++i) {
      if (samples_.populations[i] > 0) flows_[i] = samples_.blocks[i] / samples_.populations[i];
    }
    std::vector<double> behind(blocks), before(blocks);
    for (const FlowEdge& edge : graph_.edges) {
      behind[edge.from] += flows_[edge.to];
      before[edge.to] += flows_[edge.from];
    }
    usize at = blocks;
    for (const FlowEdge& edge : graph_.edges) {
      const double product = flows_[edge.from] * flows_[edge.to];
      flows_[at++] = product > 0 ? product / std::max(behind[edge.from], before[edge.to]) : 0;
    }
    for (; at < arcs_.size(); ++at) {
      const bool comes_in = arcs_[at].from == kOutside || arcs_[at].from == table_;
      flows_[at] = flows_[(comes_in ? arcs_[at].to : arcs_[at].from) / 2];
    }
  }

  // For each point, sums the values of the arcs that leave it, minus those of the arcs that enter it: the product with
  // the matrix of the arcs.
  template <typename Value>
  void scatter(std::vector<double>& to, Value value) const {
    std::fill(to.begin(), to.end(), 0);
    for (const Arc& arc : arcs_) {
      const double moved = value(arc);
      if (arc.from != kOutside) to[arc.from] += moved;
      if (arc.to != kOutside) to[arc.to] -= moved;
    }
  }
  double fall(const std::vector<double>& potential, const Arc& arc) const {
    return (arc.from != kOutside ? potential[arc.from] : 0) - (arc.to != kOutside ? potential[arc.to] : 0);
  }
  double product(const std::vector<double>& one, const std::vector<double>& other) const {
    double sum = 0;
    for (usize i = 0; i < one.size(); ++i) sum += one[i] * other[i] * diagonal_[i];
    return sum;
  }

  // Solves the equations by the method of conjugate gradients, with the diagonal as preconditioner.
  void solve() {
    constexpr double kEnough = 1e-10;
    constexpr usize kFewest = 20, kMost = 400, kWork = 20'000'000;  // limits of the rounds; kWork: arcs visited in all
                                                                    // rounds
    const usize most = std::clamp(kWork / arcs_.size(), kFewest, kMost);
    std::fill(diagonal_.begin(), diagonal_.end(), 0);
    for (const Arc& arc : arcs_) {
      if (arc.from != kOutside) diagonal_[arc.from] += arc.variance;
      if (arc.to != kOutside) diagonal_[arc.to] += arc.variance;
    }
    for (double& one : diagonal_) one = one > 0 ? 1 / one : 0;
    std::fill(potential_.begin(), potential_.end(), 0);
    scatter(residual_, [](const Arc& arc) { return arc.measured; });
    for (usize i = 0; i < direction_.size(); ++i) direction_[i] = residual_[i] * diagonal_[i];
    double size = product(residual_, residual_);
    const double enough = size * kEnough;
    for (usize step = 0; step < most && size > enough && size > 0; ++step) {
      scatter(image_, [this](const Arc& arc) { return arc.variance * fall(direction_, arc); });
      double curvature = 0;
      for (usize i = 0; i < image_.size(); ++i) curvature += direction_[i] * image_[i];
      if (curvature <= 0) break;
      const double length = size / curvature;
      for (usize i = 0; i < image_.size(); ++i) {
        potential_[i] += length * direction_[i];
        residual_[i] -= length * image_[i];
      }
      const double before = size;
      size = product(residual_, residual_);
      for (usize i = 0; i < image_.size(); ++i) {
        direction_[i] = residual_[i] * diagonal_[i] + size / before * direction_[i];
      }
    }
    for (usize i = 0; i < arcs_.size(); ++i) {
      flows_[i] = std::max(arcs_[i].measured - arcs_[i].variance * fall(potential_, arcs_[i]), 0.0);
    }
  }

  const FlowGraph& graph_;
  const FlowSamples& samples_;
  std::vector<Arc> arcs_;  // blocks, edges, and the rest
  std::vector<double> flows_;
  std::vector<double> potential_, residual_, direction_, image_, diagonal_;  // by point
  u32 table_ = 0;                                                            // the point of all jumps through tables
};

}  // namespace

std::vector<double> consistent_counts(const FlowGraph& graph, const FlowSamples& samples) {
  if (graph.blocks.empty()) return {};
  return Solver(graph, samples).run();
}

}  // namespace wperf::pgo
