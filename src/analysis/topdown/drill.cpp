// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/topdown/drill.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "machine/pmu/core_metrics.h"

namespace wperf::topdown {
namespace {

const EventCount* find(std::span<const EventCount> counts, std::string_view name) {
  for (const EventCount& count : counts) {
    if (count.name == name) return &count;
  }
  return nullptr;
}

// The cost of a miss in cycles on a core of this class, if it does not overlap with other work. Used only to rank
// groups of misses.
struct MissCost {
  std::string_view group, event, less;  // `less`: the misses of `event` that also missed the next level
  double cycles;
};
constexpr std::string_view kStallSlot = "stall_slot";
constexpr std::string_view kStallSlotFrontend = "stall_slot_frontend", kStallSlotBackend = "stall_slot_backend";

constexpr MissCost kMissCosts[] = {
    {"Branch_Effectiveness", "br_mis_pred_retired", "", 11},
    {"DTLB_Effectiveness", "dtlb_walk", "", 30},
    {"ITLB_Effectiveness", "itlb_walk", "", 30},
    {"L1D_Cache_Effectiveness", "l1d_cache_refill", "l2d_cache_refill", 10},
    {"L1I_Cache_Effectiveness", "l1i_cache_refill", "", 10},
    {"L2D_Cache_Effectiveness", "l2d_cache_refill", "ll_cache_miss_rd", 30},
    {"L2I_Cache_Effectiveness", "l2i_cache_refill", "", 30},
    {"L2_Cache_Effectiveness", "l2d_cache_refill", "ll_cache_miss_rd", 30},
    {"LL_Cache_Effectiveness", "ll_cache_miss_rd", "", 150},
};

const MissCost* cost_of(std::string_view group) {
  const auto* const cost = std::find_if(std::begin(kMissCosts), std::end(kMissCosts),
                                        [group](const MissCost& one) { return one.group == group; });
  return cost != std::end(kMissCosts) ? cost : nullptr;
}

// Some cores count misses of reads and writes separately.
std::optional<double> misses_of(std::string_view event, std::span<const EventCount> counts) {
  const auto value_of = [counts](std::string_view name) -> std::optional<double> {
    const EventCount* const count = find(counts, name);
    if (count == nullptr || !count->counted || !count->bounded) return std::nullopt;
    return static_cast<double>(count->value);
  };
  if (const auto all = value_of(event); all.has_value()) return all;
  const auto reads = value_of(std::string(event) + "_rd"), writes = value_of(std::string(event) + "_wr");
  if (!reads.has_value() || !writes.has_value()) return std::nullopt;
  return *reads + *writes;
}

std::optional<double> likely_cycles_of(std::string_view group, std::span<const EventCount> counts) {
  const MissCost* const cost = cost_of(group);
  const std::optional<double> misses = cost != nullptr ? misses_of(cost->event, counts) : std::nullopt;
  if (!misses.has_value()) return std::nullopt;
  return std::max(*misses - misses_of(cost->less, counts).value_or(0), 0.0) * cost->cycles;
}

}  // namespace

Share evaluate(const pmu::Metric& metric, std::span<const EventCount> counts) {
  std::vector<pmu::NamedCount> values;
  std::vector<const EventCount*> used;
  bool bounded = true;
  for (const std::string_view event : words_of(metric.events)) {
    const EventCount* const count = find(counts, event);
    if (count == nullptr || !count->counted) return {};
    bounded = bounded && count->bounded;
    used.push_back(count);
    values.push_back({event, count->value});
  }
  const std::optional<double> value = pmu::value_of_postfix(metric.postfix, values);
  if (!value.has_value()) return {};
  if (!bounded) return {.known = true, .value = *value, .bounded = false};
  // The errors of the events are independent, so the total error is the root of the sum of squares.
  double below = 0, above = 0;
  for (usize i = 0; i < used.size(); ++i) {
    for (const u64 bound : {used[i]->low, used[i]->high}) {
      if (bound == used[i]->value) continue;
      values[i].value = bound;
      const double moved = pmu::value_of_postfix(metric.postfix, values).value_or(*value) - *value;
      (moved < 0 ? below : above) += moved * moved;
    }
    values[i].value = used[i]->value;
  }
  return {.known = true, .value = *value, .low = *value - std::sqrt(below), .high = *value + std::sqrt(above)};
}

Drill::Drill(pmu::Product product, u32 counters, DrillOptions options)
    : product_(product), method_(method_of(product)), counters_(counters), options_(options) {
  shares_.resize(method_.nodes.size());
  weights_.resize(method_.nodes.size());
  if (method_.roots.empty()) return;
  Step first;
  for (const u32 root : method_.roots) {
    const auto events = words_of(method_.nodes[root].metric.events);
    for (const std::string_view event : events) {
      if (event != kCycles && std::find(first.events.begin(), first.events.end(), event) == first.events.end())
        first.events.push_back(event);
    }
    first.nodes.push_back(root);
  }
  // The architecture defines STALL_SLOT as the sum of the frontend and backend events, so the whole first level can be
  // counted at once.
  const auto place = [&](std::string_view event) { return std::find(first.events.begin(), first.events.end(), event); };
  const auto end = first.events.end();
  if (first.events.size() == counters_ + 1 && place(kStallSlot) != end && place(kStallSlotFrontend) != end &&
      place(kStallSlotBackend) != end) {
    first.events.erase(place(kStallSlot));
    adds_stall_slot_ = true;
  }
  step_ = std::move(first);
}

// Returns false and adds nothing if the events do not fit. The first events of a step are always added.
bool Drill::add_events(std::span<const std::string_view> events, Step& step) const {
  std::vector<std::string_view> more;
  for (const std::string_view event : events) {
    const auto has = [event](const std::vector<std::string_view>& list) {
      return std::find(list.begin(), list.end(), event) != list.end();
    };
    if (event != kCycles && !has(step.events) && !has(more)) more.push_back(event);
  }
  if (!step.events.empty() && step.events.size() + more.size() > counters_) return false;
  step.events.insert(step.events.end(), more.begin(), more.end());
  return true;
}

bool Drill::add_node(u32 node, Step& step) const {
  if (!add_events(words_of(method_.nodes[node].metric.events), step)) return false;
  step.nodes.push_back(node);
  return true;
}

// Adds the levels below the node. A level is counted completely or not at all, so that its largest node is known.
void Drill::add_levels(u32 node, Step& step) const {
  std::vector<u32> level = method_.nodes[node].children;
  while (!level.empty()) {
    if (options_.level.has_value() && method_.nodes[level.front()].level > *options_.level) return;
    Step wider = step;
    for (const u32 child : level) {
      if (!add_node(child, wider)) return;
    }
    step = std::move(wider);
    std::vector<u32> next;
    for (const u32 child : level) {
      next.insert(next.end(), method_.nodes[child].children.begin(), method_.nodes[child].children.end());
    }
    level = std::move(next);
  }
}

std::optional<Step> Drill::group_step() const {
  const std::vector<std::string_view>& groups = method_.nodes[current_].groups;
  if (groups.empty() || (options_.level.has_value() && *options_.level <= method_.nodes[current_].level))
    return std::nullopt;
  // The first run counts one metric of each group, which shows how often the group's misses happen. The next run counts
  // all metrics of the group that explains most.
  std::vector<std::string_view> wanted = groups;
  if (!groups_.empty()) {
    if (likely_group().empty()) return std::nullopt;
    wanted = {likely_group()};
  }
  // If no group is a group of misses, there is nothing to rank, and no later run would count the other metrics.
  const bool wants_all = !groups_.empty() || std::all_of(groups.begin(), groups.end(), [](std::string_view name) {
    return cost_of(name) == nullptr;
  });
  Step step;
  for (const bool takes_first : {true, false}) {
    if (!takes_first && !wants_all) break;
    for (const std::string_view name : wanted) {
      const std::optional<pmu::MetricGroup> group = product_.find_group(name);
      if (!group.has_value()) continue;
      bool is_first = true;
      for (const std::string_view metric_name : words_of(group->metrics)) {
        const std::optional<pmu::Metric> metric = product_.find_metric(metric_name);
        if (!metric.has_value() || std::exchange(is_first, false) != takes_first) continue;
        if (add_events(words_of(metric->events), step)) step.metrics.push_back(*metric);
      }
    }
  }
  if (step.metrics.empty()) return std::nullopt;
  return step;
}

std::optional<Step> Drill::next_step() const {
  if (runs_ >= kMostRuns || current_ == kNone) return std::nullopt;
  Step step;
  // Counts the path to the requested node if it was not counted yet.
  for (u32 node = options_.node; node != kNone && !shares_[node].known && method_.nodes[node].parent != kNone;
       node = method_.nodes[node].parent) {
    if (!add_node(node, step)) break;
  }
  add_levels(current_, step);
  if (!step.nodes.empty()) return step;
  return group_step();
}

void Drill::choose_root() {
  current_ = options_.node;
  if (current_ != kNone) return;
  for (const u32 root : method_.roots) {
    const Share& share = shares_[root];
    if (!share.is_sure() || method_.nodes[root].metric.name == "retiring" || share.value < kWorthASearch) continue;
    if (current_ == kNone || share.value > shares_[current_].value) current_ = root;
  }
}

// Goes down to the largest part of the node, then to the largest part of that part, and so on, through all levels that
// were counted.
void Drill::descend() {
  if (current_ == kNone) return;
  for (;;) {
    u32 greatest = kNone;
    for (const u32 child : method_.nodes[current_].children) {
      if (!shares_[child].is_sure() || weights_[child] <= 0) continue;
      if (greatest == kNone || weights_[child] > weights_[greatest]) greatest = child;
    }
    if (greatest == kNone) return;
    current_ = greatest;
  }
}

void Drill::take_metrics(std::span<const EventCount> counts) {
  const std::vector<std::string_view>& names = method_.nodes[current_].groups;
  for (const std::string_view name : names) {
    const std::optional<pmu::MetricGroup> group = product_.find_group(name);
    if (!group.has_value()) continue;
    auto row =
        std::find_if(groups_.begin(), groups_.end(), [&](const GroupShares& known) { return known.group == name; });
    for (const std::string_view metric_name : words_of(group->metrics)) {
      const auto metric = std::find_if(step_->metrics.begin(), step_->metrics.end(),
                                       [&](const pmu::Metric& counted) { return counted.name == metric_name; });
      if (metric == step_->metrics.end()) continue;
      if (row == groups_.end()) {
        groups_.push_back({.group = name, .metrics = {}, .likely_cycles = likely_cycles_of(name, counts)});
        row = groups_.end() - 1;
      }
      if (std::any_of(row->metrics.begin(), row->metrics.end(),
                      [&](const MetricShare& known) { return known.metric.name == metric_name; }))
        continue;
      row->metrics.push_back({*metric, evaluate(*metric, counts)});
      row->metrics.back().share.run = runs_;
    }
  }
}

void Drill::take(std::span<const EventCount> counted) {
  if (!step_.has_value()) return;
  ++runs_;
  std::vector<EventCount> counts(counted.begin(), counted.end());
  const EventCount* const front = find(counted, kStallSlotFrontend);
  const EventCount* const back = find(counted, kStallSlotBackend);
  if (runs_ == 1 && adds_stall_slot_ && front != nullptr && back != nullptr) {
    counts.push_back({.name = std::string(kStallSlot),
                      .value = front->value + back->value,
                      .low = front->low + back->low,
                      .high = front->high + back->high,
                      .counted = front->counted && back->counted,
                      .bounded = front->bounded && back->bounded});
  }
  counts_.push_back(counts);
  for (const EventCount& count : counts) {
    if (find(all_, count.name) == nullptr) all_.push_back(count);
  }
  for (const u32 node : step_->nodes) {
    shares_[node] = evaluate(method_.nodes[node].metric, counts);
    shares_[node].run = runs_;
    weights_[node] = 0;
    for (const std::string_view event : method_.nodes[node].events) {
      if (const EventCount* const count = find(counts, event); count != nullptr)
        weights_[node] += static_cast<double>(count->value);
    }
  }
  if (runs_ == 1) choose_root();
  if (options_.node == kNone || shares_[options_.node].known) descend();
  if (!step_->metrics.empty()) take_metrics(counts);
  step_ = next_step();
}

std::string_view Drill::likely_group() const {
  std::string_view likely;
  double most = 0;
  for (const GroupShares& group : groups_) {
    if (group.likely_cycles.value_or(0) <= most) continue;
    most = *group.likely_cycles;
    likely = group.group;
  }
  // Misses that cost less than a tenth of the lost cycles do not explain them, and very small losses need no
  // explanation.
  const double lost = lost_cycles();
  return lost > cycles() * kWorthAWord && most * 10 > lost ? likely : std::string_view{};
}

std::string_view Drill::event_of_worst() const {
  for (u32 node = current_; node != kNone; node = method_.nodes[node].parent) {
    const std::vector<std::string_view>& events = method_.nodes[node].events;
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      if (count_of(*event) != 0) return *event;
    }
  }
  return {};
}

bool Drill::waits_for_memory() const {
  const std::string_view likely = likely_group();
  const bool by_misses = likely.starts_with("L1D") || likely.starts_with("L2") || likely.starts_with("LL") ||
                         likely.starts_with("L3") || likely.starts_with("DTLB");
  bool in_backend = false, in_memory = false;
  for (u32 node = current_; node != kNone; node = method_.nodes[node].parent) {
    const std::string_view name = method_.nodes[node].metric.name;
    in_backend |= name.starts_with("backend");
    in_memory |= name == "backend_mem_bound";
  }
  return in_memory || (in_backend && by_misses);
}

double Drill::cycles() const {
  return static_cast<double>(count_of(kCycles));
}

double Drill::lost_cycles() const {
  if (current_ == kNone) return 0;
  u32 root = current_;
  while (method_.nodes[root].parent != kNone) root = method_.nodes[root].parent;
  const double lost = shares_[root].is_sure() ? std::max(cycles() * shares_[root].value / 100, 0.0) : 0;
  // Below the first level, the events of a node count cycles.
  return current_ == root ? lost : std::min(lost, weights_[current_]);
}

bool Drill::missed_turns() const {
  return std::any_of(all_.begin(), all_.end(), [](const EventCount& one) { return !one.counted || !one.bounded; });
}

u64 Drill::count_of(std::string_view event) const {
  const EventCount* const count = find(all_, event);
  return count != nullptr ? count->value : 0;
}

}  // namespace wperf::topdown
