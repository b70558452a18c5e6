// SPDX-License-Identifier: BSD-3-Clause
// The paths from samples up to the root, for sums along them. A part that several samples share is walked only once, so
// the cost is proportional to the number of nodes, however deep the stacks are.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "model/stacks/growing_array.h"
#include "model/stacks/id_table.h"
#include "model/stacks/stack_profile.h"

namespace wperf::stacks {

// Contains each node once for each different key of the samples below it. Nodes are numbered so that callers come
// first.
class SharedPaths {
 public:
  explicit SharedPaths(const std::vector<StackNode>& nodes) : nodes_(nodes) {}

  struct Path {
    std::span<const u32> added;  // the nodes that no earlier sample with this key had, outermost first
    u32 first = 0;               // the number of the first added node; the others follow
    u32 above = kNothing;        // the number of the first added node's caller; kNothing if there is no caller
    u32 last = 0;                // the number of the requested node
  };
  // The path from the root to `node`. The node must have a place. `added` is valid until the next call.
  Path walk(u32 node, u32 key) {
    path_.clear();
    Path path;
    u32 at = node;
    for (; nodes_[at].place != kNothing; at = nodes_[at].parent) {
      path.above = numbers_.find(at, key);
      if (path.above != SmallIdTable::kNone) break;
      path_.push_back(at);
    }
    path.first = numbers_.size();
    for (usize i = path_.size(); i-- > 0;) {
      const u32 caller = i + 1 == path_.size() ? path.above : numbers_.size() - 1;
      numbers_.insert(path_[i], key);
      callers_.push_back(caller);
    }
    path.last = path_.empty() ? path.above : numbers_.size() - 1;
    std::reverse(path_.begin(), path_.end());
    path.added = path_;
    return path;
  }

  u32 size() const { return numbers_.size(); }
  u32 node(u32 number) const { return numbers_.first(number); }
  u32 caller(u32 number) const { return callers_[number]; }  // kNothing: no caller

 private:
  const std::vector<StackNode>& nodes_;
  SmallIdTable numbers_;
  GrowingArray<u32> callers_;
  std::vector<u32> path_;
};

// For each node: is it the first one with its key on the path from the root? `key_of(node)` is less than `keys`; a node
// without a place has no key.
template <class KeyOf>
std::vector<bool> outermost_of_keys(const std::vector<StackNode>& nodes, usize keys, KeyOf key_of) {
  // Walks depth first without recursion, because these stacks may be deeper than the tool's own.
  std::vector<u32> first_child(nodes.size(), kNothing), next(nodes.size(), kNothing), on_path(keys, 0);
  u32 first_root = kNothing;
  for (u32 i = static_cast<u32>(nodes.size()); i-- > 0;) {
    u32& first = nodes[i].parent == kNothing ? first_root : first_child[nodes[i].parent];
    next[i] = first;
    first = i;
  }
  std::vector<bool> outermost(nodes.size());
  const auto enter = [&](u32 node) {
    if (nodes[node].place != kNothing) outermost[node] = on_path[key_of(node)]++ == 0;
  };
  const auto leave = [&](u32 node) {
    if (nodes[node].place != kNothing) --on_path[key_of(node)];
  };
  u32 at = first_root;
  while (at != kNothing) {
    enter(at);
    if (first_child[at] != kNothing) {
      at = first_child[at];
      continue;
    }
    leave(at);
    while (next[at] == kNothing && nodes[at].parent != kNothing) leave(at = nodes[at].parent);
    at = next[at];
  }
  return outermost;
}

}  // namespace wperf::stacks
