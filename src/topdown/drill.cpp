// SPDX-License-Identifier: BSD-3-Clause
#include "topdown/drill.h"

#include <algorithm>
#include <cmath>

#include "pmu/formula.h"

namespace wperf::topdown {
namespace {

const EventCount* find(std::span<const EventCount> counts, std::string_view name) {
  for (const EventCount& count : counts) {
    if (count.name == name) return &count;
  }
  return nullptr;
}

// What a miss costs on a core of this class where nothing hides it, in cycles: to rank groups of misses, no more.
struct MissCost {
  std::string_view group, event, less;  // `less`: of these misses, those that went on to the next level
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
    {"L2_Cache_Effectiveness", "l2d_cache_refill", "ll_cache_miss_rd", 30},
    {"LL_Cache_Effectiveness", "ll_cache_miss_rd", "", 150},
};

double likely_cycles_of(std::string_view group, std::span<const EventCount> counts) {
  for (const MissCost& cost : kMissCosts) {
    if (cost.group != group) continue;
    const EventCount* const misses = find(counts, cost.event);
    if (misses == nullptr) return 0;
    const EventCount* const passed = find(counts, cost.less);
    const double stayed =
        static_cast<double>(misses->value) - (passed != nullptr ? static_cast<double>(passed->value) : 0);
    return std::max(stayed, 0.0) * cost.cycles;
  }
  return 0;
}

}  // namespace

Share evaluate(const pmu::Metric& metric, std::span<const EventCount> counts) {
  std::vector<pmu::NamedCount> values;
  std::vector<const EventCount*> used;
  for (const std::string_view event : words_of(metric.events)) {
    const EventCount* const count = find(counts, event);
    if (count == nullptr || !count->counted) return {};
    used.push_back(count);
    values.push_back({event, count->value});
  }
  const std::optional<double> value = pmu::value_of_postfix(metric.postfix, values);
  if (!value.has_value()) return {};
  // Each event moves the share by itself; what they do together is the root of the sum of squares.
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

Drill::Drill(pmu::Product product, u32 counters, Wish wish)
    : product_(product), method_(method_of(product)), counters_(counters), wish_(wish) {
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
  // The architecture defines it as the sum of the other two, so that all of the first level may be counted at once.
  const auto place = [&](std::string_view event) { return std::find(first.events.begin(), first.events.end(), event); };
  const auto end = first.events.end();
  if (first.events.size() == counters_ + 1 && place(kStallSlot) != end && place(kStallSlotFrontend) != end &&
      place(kStallSlotBackend) != end) {
    first.events.erase(place(kStallSlot));
    adds_stall_slot_ = true;
  }
  step_ = std::move(first);
}

// False, and nothing is added, where they do not fit any more. A step without any takes what it must.
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

// Below the node, level by level: a level is counted whole or not at all, so that the greatest of it is known.
void Drill::add_levels(u32 node, Step& step) const {
  std::vector<u32> level = method_.nodes[node].children;
  while (!level.empty()) {
    if (wish_.level.has_value() && method_.nodes[level.front()].level > *wish_.level) return;
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
  if (groups.empty() || (wish_.level.has_value() && *wish_.level <= method_.nodes[current_].level)) return std::nullopt;
  // First one metric of each, which says how often it happens; then all of the one that explains most.
  std::vector<std::string_view> wanted = groups;
  if (!groups_.empty()) {
    if (likely_group().empty()) return std::nullopt;
    wanted = {likely_group()};
  }
  Step step;
  for (const std::string_view name : wanted) {
    const std::optional<pmu::MetricGroup> group = product_.find_group(name);
    if (!group.has_value()) continue;
    for (const std::string_view metric_name : words_of(group->metrics)) {
      const std::optional<pmu::Metric> metric = product_.find_metric(metric_name);
      if (!metric.has_value()) continue;
      if (add_events(words_of(metric->events), step)) step.metrics.push_back(*metric);
      if (groups_.empty()) break;
    }
  }
  if (step.metrics.empty()) return std::nullopt;
  return step;
}

std::optional<Step> Drill::next_step() const {
  if (runs_ >= kMostRuns || current_ == kNone) return std::nullopt;
  Step step;
  // The way to a node that was asked for, where it was not counted yet.
  for (u32 node = wish_.node; node != kNone && !shares_[node].known && method_.nodes[node].parent != kNone;
       node = method_.nodes[node].parent) {
    if (!add_node(node, step)) break;
  }
  add_levels(current_, step);
  if (!step.nodes.empty()) return step;
  return group_step();
}

void Drill::choose_root() {
  current_ = wish_.node;
  if (current_ != kNone) return;
  for (const u32 root : method_.roots) {
    const Share& share = shares_[root];
    if (!share.known || method_.nodes[root].metric.name == "retiring" || share.value < kWorthASearch) continue;
    if (current_ == kNone || share.value > shares_[current_].value) current_ = root;
  }
}

// To the greatest of the node's parts, and of its parts, as far as they were counted.
void Drill::descend() {
  if (current_ == kNone) return;
  for (;;) {
    u32 greatest = kNone;
    for (const u32 child : method_.nodes[current_].children) {
      if (!shares_[child].known || weights_[child] <= 0) continue;
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
                      .counted = front->counted && back->counted});
  }
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
  if (wish_.node == kNone || shares_[wish_.node].known) descend();
  if (!step_->metrics.empty()) take_metrics(counts);
  step_ = next_step();
}

std::string_view Drill::likely_group() const {
  std::string_view likely;
  double most = 0, cycles = 0;
  for (const GroupShares& group : groups_) {
    if (group.likely_cycles <= most) continue;
    most = group.likely_cycles;
    likely = group.group;
  }
  if (const EventCount* const count = find(all_, kCycles); count != nullptr) cycles = static_cast<double>(count->value);
  // Misses that cost a tenth of what is lost do not explain it.
  const u32 root = [&] {
    u32 node = current_;
    while (node != kNone && method_.nodes[node].parent != kNone) node = method_.nodes[node].parent;
    return node;
  }();
  const double lost = root != kNone && shares_[root].known ? cycles * shares_[root].value / 100 : 0;
  return most * 10 > lost ? likely : std::string_view{};
}

u64 Drill::count_of(std::string_view event) const {
  const EventCount* const count = find(all_, event);
  return count != nullptr ? count->value : 0;
}

}  // namespace wperf::topdown
