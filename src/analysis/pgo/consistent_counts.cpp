// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/consistent_counts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/pgo/conductors.h"

namespace wperf::pgo {
namespace {

// A flow along an arc, as measured. A block is an arc from its entry to its exit.
struct Arc {
  u32 from = 0, to = 0;   // points, or kOutside
  double measured = 0;    // the samples, or a guess of the flow if there cannot be samples
  double population = 0;  // samples per flow; 0 if there cannot be samples
  double variance = 1;    // variance of the guess
};
constexpr double kNoSamples = 1e-3;  // instead of 0: the logarithm of the likelihood of a flow must be finite
constexpr u32 kOutside = Conductors::kGround;

// Samples have Poisson's distribution. The most likely flows that are in balance follow from potentials of the points
// (Lagrange's multipliers): the flow along an arc is its samples, divided by its population plus the fall of the
// potential. So the flow is positive, and all flows out of a point change by similar factors. If an arc cannot have
// samples, its flow is the guess minus the product of its variance and the fall, but at least 0. The right potentials
// maximize a concave function; its gradient is the imbalance of the points. Newton's method finds the maximum; each of
// its steps solves a network of conductors.
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
    for (std::vector<double>* one : {&potential_, &start_, &residual_, &rest_, &direction_, &step_, &image_, &level_}) {
      one->assign(points, 0);
    }
    std::vector<Conductors::Ends> ends;
    for (const Arc& arc : arcs_) ends.push_back({arc.from, arc.to});
    conductors_.emplace(static_cast<u32>(points), ends);
    conductances_.resize(arcs_.size());
  }

  FlowCounts run() {
    constexpr u32 kRounds = 3;
    guess();
    std::vector<double> balanced;
    for (u32 round = 0; round < kRounds; ++round) {
      measure(round == 0 ? mean_of_known() : 0);
      if (!solve()) break;
      balanced = flows_;
    }
    if (balanced.empty()) guess();
    return counts(balanced.empty() ? flows_ : balanced);
  }

 private:
  static u32 entry(u32 block) { return 2 * block; }
  static u32 exit(u32 block) { return 2 * block + 1; }

  FlowCounts counts(std::vector<double>& flows) const {
    FlowCounts out{.blocks = {}, .entries = flows.front()};
    for (usize i = 0; i < graph_.edges.size(); ++i) {
      if (graph_.edges[i].to == 0) out.entries -= flows[graph_.blocks.size() + i];
    }
    out.entries = std::max(out.entries, 0.0);
    flows.resize(graph_.blocks.size());
    out.blocks = std::move(flows);
    return out;
  }

  double mean_of_known() const {
    double sum = 0, known = 0;
    const auto add = [&](double samples, double population) {
      sum += samples / population;
      ++known;
    };
    for (usize i = 0; i < samples_.blocks.size(); ++i) {
      if (samples_.populations[i] > 0) add(samples_.blocks[i], samples_.populations[i]);
    }
    for (const double one : samples_.edges) {
      if (one != FlowSamples::kUnknown) add(one, 1);
    }
    return known > 0 ? sum / known : 0;
  }

  // Sets the samples, and the flows of the previous round as guesses. The uncertainty of a guess is the size of the
  // flows next to it.
  void measure(double least_level) {
    const usize blocks = graph_.blocks.size();
    std::fill(level_.begin(), level_.end(), least_level);
    for (usize i = 0; i < arcs_.size(); ++i) {
      for (const u32 point : {arcs_[i].from, arcs_[i].to}) {
        if (point != kOutside) level_[point] = std::max(level_[point], flows_[i]);
      }
    }
    for (usize i = 0; i < blocks; ++i) set(i, samples_.blocks[i], samples_.populations[i]);
    for (usize i = 0; i < graph_.edges.size(); ++i) {
      const double samples = samples_.edges[i];
      set(blocks + i, samples, samples == FlowSamples::kUnknown ? 0 : 1);
    }
    for (usize i = blocks + graph_.edges.size(); i < arcs_.size(); ++i) set(i, 0, 0);
  }
  void set(usize index, double samples, double population) {
    constexpr double kUncertainty = 2;
    Arc& arc = arcs_[index];
    arc.population = population;
    if (population > 0) {
      arc.measured = std::max(samples, kNoSamples);
      return;
    }
    double level = 1;
    for (const u32 point : {arc.from, arc.to}) level = std::max(level, point != kOutside ? 1 + level_[point] : 0);
    arc.measured = flows_[index];
    arc.variance = level * level * kUncertainty * kUncertainty;
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

  // For each point, adds up the values of the arcs that leave it, minus the values of the arcs that enter it: the
  // product with the matrix of the arcs.
  template <typename Value>
  void scatter(std::vector<double>& to, Value value) {
    std::fill(to.begin(), to.end(), 0);
    for (usize i = 0; i < arcs_.size(); ++i) {
      const Arc& arc = arcs_[i];
      const double moved = value(i);
      if (arc.from != kOutside) to[arc.from] += moved;
      if (arc.to != kOutside) to[arc.to] -= moved;
    }
    ++visits_;
  }
  double fall(const std::vector<double>& potential, const Arc& arc) const {
    return (arc.from != kOutside ? potential[arc.from] : 0) - (arc.to != kOutside ? potential[arc.to] : 0);
  }
  static double product(const std::vector<double>& one, const std::vector<double>& other) {
    double sum = 0;
    for (usize i = 0; i < one.size(); ++i) sum += one[i] * other[i];
    return sum;
  }
  // Computes the flows from the potentials, and the imbalance of each point.
  void flow() {
    for (usize i = 0; i < arcs_.size(); ++i) {
      const Arc& arc = arcs_[i];
      flows_[i] = arc.population > 0 ? arc.measured / (arc.population + fall(potential_, arc))
                                     : std::max(arc.measured - arc.variance * fall(potential_, arc), 0.0);
    }
    scatter(residual_, [this](usize i) { return flows_[i]; });
  }
  // Is the imbalance at most this part of all flows?
  bool is_balanced(double part) const {
    double imbalance = 0, sum = 0;
    for (const double one : residual_) imbalance += std::abs(one);
    for (const double one : flows_) sum += one;
    return imbalance <= part * sum;
  }

  // Returns false if no balance was found with this work.
  bool solve() {
    constexpr double kWanted = 1e-7, kEnough = 1e-3;
    // Limits for the number of visits of all arcs; kWork limits the total of visited arcs.
    constexpr usize kFewest = 60, kMost = 5000, kWork = 30'000'000;
    const usize last = visits_ + std::clamp(kWork / arcs_.size(), kFewest, kMost);
    std::fill(potential_.begin(), potential_.end(), 0);
    flow();
    while (!is_balanced(kWanted) && visits_ < last) {
      find_direction(last);
      if (!move()) break;
    }
    return is_balanced(kEnough);
  }

  // Solves Newton's equations. If the network is too dense for exact elimination, the approximate elimination is the
  // preconditioner for the conjugate gradient method.
  void find_direction(usize last) {
    constexpr double kEnough = 1e-8;
    constexpr usize kVisits = 5;  // the time of an elimination in visits of all arcs
    for (usize i = 0; i < arcs_.size(); ++i) {
      const bool is_sampled = arcs_[i].population > 0;
      conductances_[i] = is_sampled ? flows_[i] * flows_[i] / arcs_[i].measured : flows_[i] > 0 ? arcs_[i].variance : 0;
    }
    conductors_->set(conductances_);
    visits_ += kVisits;
    start_ = potential_;
    rest_ = residual_;
    std::vector<double> ahead = rest_;
    conductors_->solve(ahead);
    direction_ = ahead;
    if (conductors_->is_exact()) return;
    std::fill(direction_.begin(), direction_.end(), 0);
    step_ = ahead;
    double size = product(rest_, ahead);
    const double enough = size * kEnough;
    while (visits_ < last && size > enough) {
      scatter(image_, [this](usize i) { return conductances_[i] * fall(step_, arcs_[i]); });
      const double curvature = product(step_, image_);
      if (curvature <= 0) break;
      const double length = size / curvature, before = size;
      for (usize i = 0; i < image_.size(); ++i) {
        direction_[i] += length * step_[i];
        rest_[i] -= length * image_[i];
      }
      ahead = rest_;
      conductors_->solve(ahead);
      ++visits_;
      size = product(rest_, ahead);
      for (usize i = 0; i < image_.size(); ++i) step_[i] = ahead[i] + size / before * step_[i];
    }
  }

  // The longest move before a flow would become infinite.
  double longest_move() const {
    constexpr double kAlmost = 0.9;
    double longest = 1;
    for (const Arc& arc : arcs_) {
      if (arc.population <= 0) continue;
      const double change = fall(direction_, arc);
      if (change < 0) longest = std::min(longest, kAlmost * (arc.population + fall(start_, arc)) / -change);
    }
    return longest;
  }

  // Moves the potentials along the direction until the slope is nearly flat. Returns false if the slope is not positive
  // at the start.
  bool move() {
    constexpr u32 kTrials = 12;
    constexpr double kFlat = 0.3;
    const double slope = product(residual_, direction_);
    if (slope <= 0) return false;
    const double longest = longest_move();
    double least = 0, most = longest, length = longest;
    for (u32 trial = 0; trial < kTrials; ++trial) {
      for (usize i = 0; i < start_.size(); ++i) potential_[i] = start_[i] + length * direction_[i];
      flow();
      const double here = product(residual_, direction_);
      if (std::abs(here) <= kFlat * slope || (here > 0 && length == longest)) return true;
      (here > 0 ? least : most) = length;
      length = (least + most) / 2;
    }
    return true;
  }

  const FlowGraph& graph_;
  const FlowSamples& samples_;
  std::vector<Arc> arcs_;  // blocks, edges, and other arcs
  std::vector<double> flows_, conductances_;
  std::optional<Conductors> conductors_;
  // By point.
  std::vector<double> potential_, start_, residual_, rest_, direction_, step_, image_;
  std::vector<double> level_;  // the largest flow of each point
  u32 table_ = 0;              // the point of all jumps through tables
  usize visits_ = 0;           // number of visits of all arcs
};

}  // namespace

FlowCounts consistent_counts(const FlowGraph& graph, const FlowSamples& samples) {
  const auto is_sampled = [](double one) { return one > 0; };
  if (std::none_of(samples.blocks.begin(), samples.blocks.end(), is_sampled) &&
      std::none_of(samples.edges.begin(), samples.edges.end(), is_sampled)) {
    return {.blocks = std::vector<double>(graph.blocks.size())};
  }
  return Solver(graph, samples).run();
}

}  // namespace wperf::pgo
