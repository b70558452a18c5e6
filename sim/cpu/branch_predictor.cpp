// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/branch_predictor.h"

namespace wperf::sim {

BranchPredictor::BranchPredictor() {
  histories_.fill(1);
}

bool BranchPredictor::resolve_target(u64 address, u64 next) {
  u64& target = targets_[(address >> 2 ^ path_ ^ history_ << 3) % kTargets];
  const bool right = target == next;
  target = next;
  path_ = (path_ << 3 ^ next >> 2) & (kTargets - 1);
  return right;
}

}  // namespace wperf::sim
