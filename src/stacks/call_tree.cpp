// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/call_tree.h"

#include <algorithm>

namespace wperf::stacks {
namespace {

u32 function_of(const StackProfile& profile, u32 node) {
  const u32 place = profile.nodes[node].place;
  return place == kNothing ? kNothing : profile.places[place].function;
}

// Nodes of the profile → nodes of a tree, as far as samples need them.
class DownwardPaths {
 public:
  DownwardPaths(const StackProfile& profile, CallTree& tree) : profile_(profile), tree_(tree) {}

  u32 node_below(u32 top, u32 node) {
    path_.clear();
    for (u32 at = node; function_of(profile_, at) != kNothing; at = profile_.nodes[at].parent) path_.push_back(at);
    return append(top, path_.size());
  }
  // Of the path collected by `node_below`'s walk, from the frame at `begin` (counted from the innermost) inwards.
  u32 append(u32 top, usize begin) {
    u32 to = top;
    for (usize i = begin; i-- > 0;) to = tree_.insert(to, function_of(profile_, path_[i]));
    return to;
  }
  std::vector<u32>& path() { return path_; }

 private:
  const StackProfile& profile_;
  CallTree& tree_;
  std::vector<u32> path_;
};

// The first level of `tree`. Answers which functions those are, by function.
std::vector<bool> begin_with(const std::vector<u32>& functions, const StackProfile& profile, CallTree& tree) {
  std::vector<bool> wanted(profile.functions.size());
  for (const u32 function : functions) {
    wanted[function] = true;
    tree.insert(0, function);
  }
  return wanted;
}

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
  // How many each has, then where each one's list ends, then each list filled from its end.
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
  // Parents stand before their children, so that one pass moves all of them.
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
    if (needed[i] && node.place != kNothing) moved[i] = tree.insert(moved[node.parent], function_of(profile, i));
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
  DownwardPaths paths(profile, tree);
  SmallIdTable known;  // (name, node of the profile) → node of the tree
  std::vector<u32> nodes;
  for (const StackSample& sample : profile.samples) {
    if (sample.event != event || !chosen.has(sample)) continue;
    const u32 name = profile.tasks[sample.task].name;
    const auto [number, is_new] = known.insert(name, sample.node);
    if (is_new) nodes.push_back(paths.node_below(tree.insert(0, name), sample.node));
    tree.add_self(nodes[number], sample);
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
    if (sample.event != event || !chosen.has(sample) || !wanted[function_of(profile, sample.node)]) continue;
    u32 to = 0;
    for (u32 at = sample.node; function_of(profile, at) != kNothing; at = profile.nodes[at].parent) {
      to = tree.insert(to, function_of(profile, at));
    }
    tree.add_self(to, sample);
  }
  tree.sum_up();
  return tree;
}

CallTree make_callee_tree(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                          const StackFilter& filter) {
  CallTree tree;
  const std::vector<bool> wanted = begin_with(functions, profile, tree);
  StackFilter of_tasks = filter;  // the functions are chosen already, and what they call may be any
  of_tasks.modules.clear();
  of_tasks.symbol = {};
  const ChosenSamples chosen(profile, of_tasks);
  DownwardPaths paths(profile, tree);
  std::vector<u32> seen(profile.functions.size(), 0);
  u32 serial = 0;
  for (const StackSample& sample : profile.samples) {
    if (sample.event != event || !chosen.has(sample)) continue;
    ++serial;
    std::vector<u32>& path = paths.path();
    path.clear();
    for (u32 at = sample.node; function_of(profile, at) != kNothing; at = profile.nodes[at].parent) path.push_back(at);
    for (usize i = path.size(); i-- > 0;) {
      const u32 function = function_of(profile, path[i]);
      if (!wanted[function] || seen[function] == serial) continue;
      seen[function] = serial;
      tree.add_self(paths.append(0, i + 1), sample);
    }
  }
  tree.sum_up();
  return tree;
}

}  // namespace wperf::stacks
