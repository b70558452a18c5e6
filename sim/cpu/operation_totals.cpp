// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/operation_totals.h"

#include <cstdint>

namespace wperf::sim {

void OperationTotals::begin_block(u64 address, std::span<const u32> code, u64 mispredicts) {
  block_.clear();
  for (usize i = 0; i < code.size(); ++i) block_.push_back(describe_operation(address + i * 4, code[i]));
  mispredicts_before_ = mispredicts;
}

void OperationTotals::access(u64 pc, u64 address, const AccessOutcome& outcome) {
  if (block_.empty() || pc < block_.front().pc || pc > block_.back().pc) return;
  add_access(block_[(pc - block_.front().pc) / 4], address, outcome);
}

void OperationTotals::end_block(u64 next, u64 mispredicts) {
  if (block_.empty()) return;
  settle_branch(block_.back(), next, mispredicts != mispredicts_before_);
  for (const Operation& operation : block_) {
    const AccessOutcome& access = operation.access;
    described_.try_emplace(operation.pc, operation);
    ++counts_[{operation.pc, access.source, access.refill, access.last_level, access.walk, access.unaligned,
               operation.not_taken, operation.mispredicted}];
  }
  block_.clear();
}

void settle_branch(Operation& branch, u64 next, bool mispredicted) {
  if (!branch.is_branch()) return;
  branch.target = next;
  branch.mispredicted = mispredicted;
  branch.not_taken = branch.instruction.branch == BranchKind::conditional &&
                     next != branch.pc + static_cast<u64>(static_cast<std::int32_t>(branch.instruction.branch_offset));
}

}  // namespace wperf::sim
