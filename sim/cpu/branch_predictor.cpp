// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/branch_predictor.h"

#include <cstddef>

namespace wperf::sim {

BranchPredictor::BranchPredictor() {
  histories_.fill(1);
}

u32 BranchPredictor::learnt(u32 direction, u32 choice, u32 by_history, bool taken) {
  Branch branch{static_cast<u8>(direction), static_cast<u8>(choice)};
  auto counter = static_cast<u8>(by_history);
  const bool right = learn(branch, counter, taken);
  return u32{branch.direction} | u32{branch.choice} << 8 | u32{counter} << 16 | u32{!right} << 24;
}

void BranchPredictor::fill_parts(ModelParts& parts) {
  static_assert(sizeof(Branch) == 2 && offsetof(Branch, direction) == 0);
  parts.history = &history_;
  parts.branches = &branches_[0].direction;
  parts.histories = histories_.data();
  parts.returns = returns_.data();
  parts.return_top = &return_top_;
}

bool BranchPredictor::resolve_target(u64 address, u64 next) {
  u64& target = targets_[(address >> 2 ^ path_ ^ history_ << 3) % kTargets];
  const bool right = target == next;
  target = next;
  path_ = (path_ << 3 ^ next >> 2) & (kTargets - 1);
  return right;
}

}  // namespace wperf::sim
