// SPDX-License-Identifier: BSD-3-Clause
// The branch stacks that hardware with LBR or BRBE would record: at regular distances, the latest taken branches. For
// one thread of user code; used by tests and benches.
#pragma once
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

class BranchStacks {
 public:
  struct Branch {
    u64 from = 0, to = 0;
    bool operator==(const Branch&) const = default;
  };
  static constexpr usize kDepth = 32;

  // From now on records a stack of the latest kDepth branches after every `interval` taken branches. `interval` is at
  // least kDepth.
  void keep(u64 interval) { interval_ = interval; }
  bool kept() const { return interval_ != 0; }
  void taken(u64 from, u64 to) {
    if (++since_last_ > interval_ - kDepth) branches_.push_back({from, to});
    if (since_last_ == interval_) since_last_ = 0;
  }
  // The stacks one after the other, each from its oldest branch to its newest. The last one may be incomplete.
  const std::vector<Branch>& all() const { return branches_; }

 private:
  u64 interval_ = 0, since_last_ = 0;
  std::vector<Branch> branches_;
};

}  // namespace wperf::sim
