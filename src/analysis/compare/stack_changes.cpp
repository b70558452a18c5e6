// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/stack_changes.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace wperf::compare {
namespace {

using stacks::kNothing;

class StackMerger {
 public:
  explicit StackMerger(const MatchedUnits& matched) : matched_(matched) { out_.nodes.emplace_back(); }

  // `numbers`: converts the run's units to the units of all runs. `unit`: the amount that a cost of 1 adds to the mean
  // of the side.
  void add(const RunStacks& run, const std::vector<u32>& numbers, bool is_after, double unit) {
    std::vector<u32> merged(run.nodes.size(), 0);
    for (u32 i = 0; i < run.nodes.size(); ++i) {
      const StackCost& one = run.nodes[i];
      if (one.parent != kNothing) merged[i] = node_of(merged[one.parent], numbers[one.unit]);
      StackChange& node = out_.nodes[merged[i]];
      (is_after ? node.after : node.before) += one.self * unit;
      (is_after ? node.samples_after : node.samples_before) += one.samples;
    }
  }

  StackChanges take() {
    for (StackChange& node : out_.nodes) {
      if (node.parent == kNothing) continue;
      node.name = matched_.units[node.unit].name;
      node.module = matched_.units[node.unit].module;
    }
    for (usize i = out_.nodes.size(); i-- > 1;) {
      StackChange& parent = out_.nodes[out_.nodes[i].parent];
      parent.before += out_.nodes[i].before;
      parent.after += out_.nodes[i].after;
    }
    return std::move(out_);
  }

 private:
  u32 node_of(u32 parent, u32 unit) {
    const auto [at, is_new] = known_.try_emplace({parent, unit}, static_cast<u32>(out_.nodes.size()));
    if (is_new) out_.nodes.push_back({.parent = parent, .unit = unit});
    return at->second;
  }

  const MatchedUnits& matched_;
  StackChanges out_;
  std::map<std::pair<u32, u32>, u32> known_;
};

double whole_of(const RunStacks& run) {
  double whole = 0;
  for (const StackCost& one : run.nodes) whole += one.self;
  return whole;
}

}  // namespace

diag::Result<StackChanges> merge_stacks(std::span<const RunCosts> before, std::span<const RunCosts> after,
                                        const MatchedUnits& matched, const ComparisonOptions& options) {
  const Per per = options.per.value_or(Per::run);
  StackMerger merger(matched);
  usize number = 0;  // the run's number
  std::string event;
  for (const auto* side : {&before, &after}) {
    for (const RunCosts& run : *side) {
      if (run.stacks.nodes.empty()) {
        return diag::usage_error(run.file + " has no samples, so there are no stacks to compare",
                                 "--html, --svg and --folded need recordings");
      }
      if (event.empty()) event = run.stacks.event;
      if (event != run.stacks.event) {
        return diag::usage_error(
            fmt::format("{} has samples of {}, but other files have {}", run.file, run.stacks.event, event),
            "a picture compares one event: record the same event on both sides");
      }
      WPERF_TRY(double measure, measure_of(run, per, options.counter));
      if (per == Per::share) measure = whole_of(run.stacks);
      const double unit = measure > 0 ? 1 / (measure * static_cast<double>(side->size())) : 0;
      merger.add(run.stacks, matched.of_run[number++], side == &after, unit);
    }
  }
  StackChanges changes = merger.take();
  changes.event = event;
  changes.per = per;
  changes.unit = unit_of_event(event);
  return changes;
}

std::string folded_changes(const StackChanges& changes) {
  std::string out;
  std::vector<std::string> paths(changes.nodes.size());
  for (usize i = 1; i < changes.nodes.size(); ++i) {
    const StackChange& node = changes.nodes[i];
    std::string& path = paths[i];
    path = paths[node.parent];
    if (!path.empty()) path += ';';
    // Semicolons separate frames and line ends separate stacks, so both are replaced in names.
    for (const char c : node.name) path += c == ';' ? ':' : c == '\n' ? ' ' : c;
    if (node.samples_before == 0 && node.samples_after == 0) continue;
    out += fmt::format("{} {} {}\n", path, node.samples_before, node.samples_after);
  }
  return out;
}

}  // namespace wperf::compare
