// SPDX-License-Identifier: BSD-3-Clause
// Call trees: stacks merged by function. From the outermost caller down, from hot functions up to their callers, or
// from hot functions down to their callees. Pure.
#pragma once
#include <span>
#include <vector>

#include "model/stacks/id_table.h"
#include "model/stacks/stack_rows.h"

namespace wperf::stacks {

struct CallNode {
  u32 parent = kNothing;
  u32 label = kNothing;  // a function; at the first level of a folded tree the name of a thread
  u64 self_samples = 0, self_period = 0;
  u64 all_samples = 0, all_period = 0;
};

// The children of each node, the greatest first.
class ChildLists {
 public:
  explicit ChildLists(const std::vector<CallNode>& nodes);
  std::span<const u32> operator[](u32 node) const {
    return std::span(children_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

 private:
  std::vector<u32> begins_;  // by node, in children_; with one extra at the end
  std::vector<u32> children_;
};

class CallTree {
 public:
  CallTree() { nodes_.emplace_back(); }

  const std::vector<CallNode>& nodes() const { return nodes_; }  // the first is the root; parents come before children
  ChildLists children() const { return ChildLists(nodes_); }

  u32 insert(u32 parent, u32 label);
  void add_self(u32 node, const StackSample& sample);
  // Adds the counts of each node to those above it.
  void sum_up();

  u64 cut_samples = 0;  // samples with a longer path than the greatest depth

 private:
  std::vector<CallNode> nodes_;
  SmallIdTable edges_;  // node number - 1
};

// From the outermost caller down.
CallTree make_call_tree(const StackProfile& profile, u32 event, const StackFilter& filter);
// The same with the thread's name before the outermost caller.
CallTree make_folded_tree(const StackProfile& profile, u32 event, const StackFilter& filter);
// Below the root the functions, below each of them its callers at the time of the sample, up to this depth. Without a
// limit, a deep recursion that is sampled at every depth would be walked once for each of its calls.
inline constexpr u32 kMostCallers = 1024;
CallTree make_caller_tree(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                          const StackFilter& filter);
// Below the root the functions, below each of them its callees. A recursive function counts from its outermost call.
CallTree make_callee_tree(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                          const StackFilter& filter);

// How much of a function's time, with that of its callees, each direct caller caused. A recursive function counts from
// its outermost call.
struct CallerShare {
  u32 function = kNothing, caller = kNothing;  // kNothing: the stacks begin with the function
  u64 samples = 0, period = 0;
};
// The greatest first. All samples of threads that the filter chooses count.
std::vector<CallerShare> caller_shares(const StackProfile& profile, u32 event, const std::vector<u32>& functions,
                                       const StackFilter& filter);

}  // namespace wperf::stacks
