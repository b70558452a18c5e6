// SPDX-License-Identifier: BSD-3-Clause
#include "model/stacks/call_tree.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "model/stacks/shared_paths.h"

namespace wperf::stacks {
namespace {

// Makes the first level of `tree`. Returns, for each function, whether it is on that level.
std::vector<bool> begin_with(const std::vector<u32>& functions, const StackProfile& profile, CallTree& tree) {
  std::vector<bool> wanted(profile.functions.size());
  for (const u32 function : functions) {
    wanted[function] = true;
    tree.insert(0, function);
  }
  return wanted;
}

// Merges all callees of each wanted function, from its outermost call down. A node of the profile is in the tree once
// for each wanted function above it.
class MergedCallees {
 public:
  MergedCallees(const StackProfile& profile, const std::vector<bool>& wanted, CallTree& tree)
      : profile_(profile),
        wanted_(wanted),
        tree_(tree),
        paths_(profile.nodes),
        outermost_(outermost_of_keys(profile.nodes, profile.functions.size(),
                                     [&](u32 node) { return profile.function_of(node); })) {}

  void add(const StackSample& sample) {
    const SharedPaths::Path path = paths_.walk(sample.node, 0);
    usize most = path.above == kNothing ? 0 : copies_[path.above].count;
    for (const u32 node : path.added) {
      most += is_mention(node) ? 1 : 0;
      copies_.push_back({.begin = moved_.size(), .count = most});
      for (usize i = 0; i < most; ++i) moved_.push_back(0);
    }
    for (usize mention = 0; mention < most; ++mention) insert(path, mention);
    const Copies& copies = copies_[path.last];
    for (usize i = 0; i < copies.count; ++i) tree_.add_self(moved_[copies.begin + i], sample);
  }

 private:
  // The nodes of the tree into which a node of the profile is merged; the node below the outermost call is first.
  struct Copies {
    usize begin = 0, count = 0;  // range in moved_
  };
  bool is_mention(u32 node) const { return outermost_[node] && wanted_[profile_.function_of(node)]; }
  void insert(const SharedPaths::Path& path, usize mention) {
    u32 to =
        path.above != kNothing && mention < copies_[path.above].count ? moved_[copies_[path.above].begin + mention] : 0;
    for (usize i = 0; i < path.added.size(); ++i) {
      const Copies& copies = copies_[path.first + i];
      if (mention >= copies.count) continue;
      to = tree_.insert(to, profile_.function_of(path.added[i]));
      moved_[copies.begin + mention] = to;
    }
  }

  const StackProfile& profile_;
  const std::vector<bool>& wanted_;
  CallTree& tree_;
  SharedPaths paths_;
  const std::vector<bool> outermost_;
  GrowingArray<Copies> copies_;  // indexed by the path's number
  GrowingArray<u32> moved_;      // nodes of the tree
};

}  // namespace

u32 CallTree::insert(u32 parent, u32 label) {
  const auto [edge, is_new] = edges_.insert(parent, label);
  if (is_new) nodes_.push_back({parent, label, 0, 0, 0, 0});
  return edge + 1;
}

void CallTree::add_self(u32 node, const StackSample& sample) {
  nodes_[node].self_samples += sample.count;
  nodes_[node].self_period += sample.period;
}

void CallTree::sum_up() {
  for (CallNode& node : nodes_) {
    node.all_samples = node.self_samples;
    node.all_period = node.self_period;
  }
  for (usize i = nodes_.size(); i-- > 1;) {
    nodes_[nodes_[i].parent].all_samples += nodes_[i].all_samples;
    nodes_[nodes_[i].parent].all_period += nodes_[i].all_period;
  }
}

ChildLists::ChildLists(const std::vector<CallNode>& nodes) : begins_(nodes.size() + 1), children_(nodes.size() - 1) {
  // First counts the items of each list, then computes the lists' ends, then fills each list from its end.
  for (usize i = 1; i < nodes.size(); ++i) ++begins_[nodes[i].parent];
  for (usize i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  for (usize i = nodes.size(); i-- > 1;) children_[--begins_[nodes[i].parent]] = static_cast<u32>(i);
  for (usize i = 0; i < nodes.size(); ++i) {
    const auto begin = children_.begin() + begins_[i], end = children_.begin() + begins_[i + 1];
    if (end - begin < 2) continue;
    std::sort(begin, end, [&](u32 a, u32 b) {
      return nodes[a].all_period != nodes[b].all_period ? nodes[a].all_period > nodes[b].all_period : a < b;
    });
  }
}

CallTree make_call_tree(const StackProfile& profile, u32 event, const StackFilter& filter) {
  CallTree tree;
  const ChosenSamples chosen(profile, filter);
  // Parents come before their children, so one pass moves all nodes.
  std::vector<u32> moved(profile.nodes.size(), 0);
  std::vector<bool> needed(profile.nodes.size());
  for (const StackSample& sample : profile.samples) {
    if (sample.event == event && chosen.has(sample)) needed[sample.node] = true;
  }
  for (usize i = profile.nodes.size(); i-- > 0;) {
    if (needed[i] && profile.nodes[i].parent != kNothing) needed[profile.nodes[i].parent] = true;
  }
  for (u32 i = 0; i < profile.nodes.size(); ++i) {
    const StackNode& node = profile.nodes[i];
    if (needed[i] && node.place != kNothing) moved[i] = tree.insert(moved[node.parent], profile.function_of(i));
  }
  for (const StackSample& sample : profile.samples) {
    if (sample.event == event && chosen.has(sample)) tree.add_self(moved[sample.node], sample);
  }
  tree.sum_up();
  return tree;
}

CallTree make_folded_tree(const StackProfile& profile, u32 event, const StackFilter& filter) {
  CallTree tree;
  const ChosenSamples chosen(profile, filter);
  SharedPaths paths(profile.nodes);
  GrowingArray<u32> moved;  // by the path's number: its node in the tree
  for (const StackSample& sample : profile.samples) {
    if (sample.event != event || !chosen.has(sample)) continue;
    const u32 name = profile.tasks[sample.task].name;
    const SharedPaths::Path path = paths.walk(sample.node, name);
    u32 to = path.above != kNothing ? moved[path.above] : tree.insert(0, name);
    for (const u32 node : path.added) moved.push_back(to = tree.insert(to, profile.function_of(node)));
    tree.add_self(to, sample);
  }
  tree.sum_up();
  return tree;
}

CallTree make_caller_tree(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                          const StackFilter& filter) {
  CallTree tree;
  const std::vector<bool> wanted = begin_with(functions, profile, tree);
  const ChosenSamples chosen(profile, filter);
  for (const StackSample& sample : profile.samples) {
    if (sample.event != event || !chosen.has(sample) || !wanted[profile.function_of(sample.node)]) continue;
    u32 to = 0, at = sample.node;
    for (u32 depth = 0; depth <= kMostCallers && profile.function_of(at) != kNothing; ++depth) {
      to = tree.insert(to, profile.function_of(at));
      at = profile.nodes[at].parent;
    }
    if (profile.function_of(at) != kNothing) tree.cut_samples += sample.count;
    tree.add_self(to, sample);
  }
  tree.sum_up();
  return tree;
}

CallTree make_callee_tree(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                          const StackFilter& filter) {
  CallTree tree;
  const std::vector<bool> wanted = begin_with(functions, profile, tree);
  StackFilter of_tasks = filter;  // the wanted functions are already chosen; callees may be any functions
  of_tasks.modules.clear();
  of_tasks.symbol = {};
  const ChosenSamples chosen(profile, of_tasks);
  MergedCallees callees(profile, wanted, tree);
  for (const StackSample& sample : profile.samples) {
    if (sample.event == event && chosen.has(sample)) callees.add(sample);
  }
  tree.sum_up();
  return tree;
}

std::vector<CallerShare> caller_shares(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                                       const StackFilter& filter) {
  struct Sums {
    u64 samples = 0, period = 0;
  };
  const std::vector<StackNode>& nodes = profile.nodes;
  std::vector<Sums> below(nodes.size());
  const ChosenSamples chosen(profile, filter);
  for (const StackSample& sample : profile.samples) {
    if (sample.event != event || !chosen.has_task(sample)) continue;
    below[sample.node].samples += sample.count;
    below[sample.node].period += sample.period;
  }
  for (usize node = nodes.size(); node-- > 0;) {  // parents come before their children
    if (nodes[node].parent == kNothing) continue;
    below[nodes[node].parent].samples += below[node].samples;
    below[nodes[node].parent].period += below[node].period;
  }
  std::vector<bool> wanted(profile.functions.size());
  for (const u32 function : functions) wanted[function] = true;
  const std::vector<bool> outermost =
      outermost_of_keys(nodes, profile.functions.size(), [&](u32 node) { return profile.function_of(node); });
  std::map<std::pair<u32, u32>, Sums> found;
  for (u32 node = 0; node < nodes.size(); ++node) {
    const u32 function = profile.function_of(node);
    if (function == kNothing || !wanted[function] || !outermost[node] || below[node].samples == 0) continue;
    Sums& sums = found[{function, profile.function_of(nodes[node].parent)}];
    sums.samples += below[node].samples;
    sums.period += below[node].period;
  }
  std::vector<CallerShare> shares;
  for (const auto& [edge, sums] : found) {
    shares.push_back({.function = edge.first, .caller = edge.second, .samples = sums.samples, .period = sums.period});
  }
  std::ranges::stable_sort(shares, std::greater(), &CallerShare::period);
  return shares;
}

}  // namespace wperf::stacks
