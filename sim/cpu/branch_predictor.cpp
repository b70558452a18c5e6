// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/branch_predictor.h"

namespace wperf::sim {

// Counters start at weakly not taken and at weakly "the branch's own history".
BranchPredictor::BranchPredictor()
    : by_address_(kCounters, 1), by_history_(kCounters, 1), chooser_(kCounters, 1), targets_(kTargets, 0) {}

bool BranchPredictor::resolve_target(u64 address, u64 next) {
  u64& target = targets_[(address >> 2 ^ path_ ^ history_ << 3) % kTargets];
  const bool right = target == next;
  target = next;
  path_ = (path_ << 3 ^ next >> 2) & (kTargets - 1);
  return right;
}

}  // namespace wperf::sim
