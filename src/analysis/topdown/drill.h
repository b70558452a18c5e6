// SPDX-License-Identifier: BSD-3-Clause
// Searches a top-down tree from the first level down to the node that explains most: decides which events to count in
// the next run, and interprets the counts of each run. Pure: app/bottleneck does the runs.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/topdown/method.h"

namespace wperf::topdown {

inline constexpr u32 kMostRuns = 3;
// In percent of the slots; smaller losses are not worth a search.
inline constexpr double kWorthASearch = 10;
// A node that loses less than this share of the cycles needs no explanation.
inline constexpr double kWorthAWord = 0.01;
inline constexpr std::string_view kCycles = "cpu_cycles";

// The count of an event in a run.
struct EventCount {
  std::string name;
  u64 value = 0;
  u64 low = 0, high = 0;  // 95 % interval; both equal `value` if it was counted all the time
  bool counted = true;    // false if it was never scheduled
  bool bounded = true;    // false if it was counted for too short a time; then low and high have no meaning
};

struct Share {
  bool known = false;  // false if it was not counted, or if the total is 0
  double value = 0;
  double low = 0, high = 0;  // 95 % interval; both equal the value if all its events were counted all the time
  bool bounded = true;       // false if one of its events was counted for too short a time; then low and high have no
                             // meaning
  u32 run = 0;               // number of the run, from 1
  bool is_sure() const { return known && bounded; }
};
Share evaluate(const pmu::Metric& metric, std::span<const EventCount> counts);

struct MetricShare {
  pmu::Metric metric;
  Share share;
};
struct GroupShares {
  std::string_view group;
  std::vector<MetricShare> metrics;
  // The approximate cycles that its misses cost on a core of this class; nullopt if the group has no misses, or they
  // were not counted.
  std::optional<double> likely_cycles = {};
};

// The events to count in one run, in addition to cycles.
struct Step {
  std::vector<std::string_view> events;
  std::vector<u32> nodes;
  std::vector<pmu::Metric> metrics;  // of groups
};

struct DrillOptions {
  std::optional<u32> level;  // number of levels; nullopt: the whole tree
  u32 node = kNone;          // the node to go to; kNone: the largest loss
};

class Drill {
 public:
  Drill(pmu::Product product, u32 counters, DrillOptions options);

  const Method& method() const { return method_; }
  // The events for the next run; null if there is nothing more to count.
  const Step* step() const { return step_.has_value() ? &*step_ : nullptr; }
  bool fits(const Step& step) const { return step.events.size() <= counters_; }
  // STALL_SLOT was computed as a sum, because there was no counter for it.
  bool adds_stall_slot() const { return adds_stall_slot_; }
  // Takes the counts of the run of step().
  void take(std::span<const EventCount> counted);

  u32 runs() const { return runs_; }
  const std::vector<Share>& shares() const { return shares_; }  // by node
  const std::vector<GroupShares>& groups() const { return groups_; }
  // The node that explains most of the lost slots; kNone if no node stands out.
  u32 worst() const { return current_; }
  // The group of misses that most likely explains the loss of the worst node; empty if no group does.
  std::string_view likely_group() const;
  // The event to sample: the last one that occurred in the worst node, or in a node above it; empty if none occurred.
  std::string_view event_of_worst() const;
  // Is the program limited by waiting for data from memory?
  bool waits_for_memory() const;
  // The cycles that the worst node lost, and all cycles of the first run; 0 if not known.
  double lost_cycles() const;
  double cycles() const;
  // True if an event was never scheduled, or only for too short a time.
  bool missed_turns() const;
  // All counts of an event, run by run.
  const std::vector<std::vector<EventCount>>& counts() const { return counts_; }
  // The count of an event in the first run that counted it; 0 if no run did.
  u64 count_of(std::string_view event) const;

 private:
  bool add_events(std::span<const std::string_view> events, Step& step) const;
  bool add_node(u32 node, Step& step) const;
  void add_levels(u32 node, Step& step) const;
  std::optional<Step> next_step() const;
  std::optional<Step> group_step() const;
  void choose_root();
  void descend();
  void take_metrics(std::span<const EventCount> counts);

  pmu::Product product_;
  Method method_;
  u32 counters_;
  DrillOptions options_;
  std::optional<Step> step_;
  u32 runs_ = 0, current_ = kNone;
  std::vector<Share> shares_;
  std::vector<double> weights_;  // by node: the sum of the counts of its events
  std::vector<GroupShares> groups_;
  std::vector<EventCount> all_;
  std::vector<std::vector<EventCount>> counts_;
  bool adds_stall_slot_ = false;
};

}  // namespace wperf::topdown
