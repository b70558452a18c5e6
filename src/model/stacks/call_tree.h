// SPDX-License-Identifier: BSD-3-Clause
// Call trees: stacks merged by function. A tree leads from the outermost caller down, from hot functions up to their
// callers, or from hot functions down to their callees. Pure.
#pragma once
#include <span>
#include <vector>

#include "model/stacks/id_table.h"
#include "model/stacks/stack_rows.h"

namespace wperf::stacks {

struct CallNode {
  u32 parent = kNothing;
  u32 label = kNothing;  // a function; in a folded tree the first level has names of threads
  u64 self_samples = 0, self_period = 0;
  u64 all_samples = 0, all_period = 0;
};

// The children of each node; the one with the largest count comes first.
class ChildLists {
 public:
  explicit ChildLists(const std::vector<CallNode>& nodes);
  std::span<const u32> operator[](u32 node) const {
    return std::span(children_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

 private:
  std::vector<u32> begins_;  // by node: where its children begin in children_; with one extra entry at the end
  std::vector<u32> children_;
};

class CallTree {
 public:
  CallTree() { nodes_.emplace_back(); }

  const std::vector<CallNode>& nodes() const { return nodes_; }  // the first is the root; parents come before children
  ChildLists children() const { return ChildLists(nodes_); }

  u32 insert(u32 parent, u32 label);
  void add_self(u32 node, const StackSample& sample);
  // Adds the counts of each node to the counts of its ancestors.
  void sum_up();

  u64 cut_samples = 0;  // samples whose path is longer than the maximum depth

 private:
  std::vector<CallNode> nodes_;
  SmallIdTable edges_;  // node number - 1
};

// The tree from the outermost caller down.
CallTree make_call_tree(const StackProfile& profile, u32 event, const StackFilter& filter);
// The same tree, with a level of thread names above the outermost callers.
CallTree make_folded_tree(const StackProfile& profile, u32 event, const StackFilter& filter);
// Below the root are the functions, below each function its callers, up to this depth. Without the limit, a deep
// recursion that is sampled at every depth would be walked once for each of its calls.
inline constexpr u32 kMostCallers = 1024;
CallTree make_caller_tree(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                          const StackFilter& filter);
// Below the root are the functions, below each function its callees. A recursive function counts from its outermost
// call.
CallTree make_callee_tree(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                          const StackFilter& filter);

// How much of a function's time, including its callees, is due to each direct caller. A recursive function counts from
// its outermost call.
struct CallerShare {
  u32 function = kNothing, caller = kNothing;  // kNothing: the function is the outermost one of the stack
  u64 samples = 0, period = 0;
};
// Counts all samples of the threads that the filter chooses. The largest share comes first.
std::vector<CallerShare> caller_shares(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                                       const StackFilter& filter);

}  // namespace wperf::stacks
