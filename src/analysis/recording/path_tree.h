// SPDX-License-Identifier: BSD-3-Clause
// Paths of places as a tree. Nodes are numbered in order of insertion, so each comes after its parent.
#pragma once
#include <vector>

#include "model/stacks/id_table.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

class PathTree {
 public:
  static constexpr u32 kRoot = 0;

  // Children of the same node have different keys.
  u32 insert(u32 parent, u32 key, u32 place) {
    const auto [number, is_new] = keys_.insert(parent, key);
    if (is_new) nodes_.push_back({parent, place});
    return number + 1;
  }
  // Adds the paths of another tree, as if they had been inserted after this tree's own. Returns the number in this tree
  // for each node of the other tree.
  std::vector<u32> join(const PathTree& other) {
    std::vector<u32> here(other.nodes_.size(), kRoot);
    for (u32 node = 1; node < here.size(); ++node) {
      here[node] = insert(here[other.nodes_[node].parent], other.key(node), other.nodes_[node].place);
    }
    return here;
  }

  u32 size() const { return static_cast<u32>(nodes_.size()); }
  u32 parent(u32 node) const { return nodes_[node].parent; }
  u32 key(u32 node) const { return keys_.second(node - 1); }
  std::vector<stacks::StackNode> take_nodes() { return std::move(nodes_); }

 private:
  stacks::SmallIdTable keys_;  // without the root
  std::vector<stacks::StackNode> nodes_ = std::vector<stacks::StackNode>(1);
};

}  // namespace wperf::recording
