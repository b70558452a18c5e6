// SPDX-License-Identifier: BSD-3-Clause
// The true values that profiling estimates: how often each instruction of user code was executed, and with which
// outcome. Recorded for every instruction, not only for instructions that a profiler picks, so that a test can compare
// the two.
#pragma once
#include <compare>
#include <map>
#include <span>
#include <vector>

#include "base/ints.h"
#include "sim/cpu/operation.h"

namespace wperf::sim {

class OperationTotals {
 public:
  // Executions of one instruction that differ in one of these are counted separately.
  struct Kind {
    u64 pc = 0;
    DataSource source = DataSource::l1;
    bool refill = false, last_level = false, walk = false, unaligned = false;
    bool not_taken = false, mispredicted = false;
    auto operator<=>(const Kind&) const = default;
  };

  void keep() { kept_ = true; }
  bool kept() const { return kept_; }

  // To be called for each executed block: at its start, for its accesses in order, and at its end. Another
  // begin_block() discards a block that has no end.
  void begin_block(u64 address, std::span<const u32> code, u64 mispredicts);
  void access(u64 pc, u64 address, const AccessOutcome& outcome);
  void end_block(u64 next, u64 mispredicts);

  const std::map<Kind, u64>& all() const { return counts_; }
  // By address: the instruction, without the outcomes of its executions.
  const std::map<u64, Operation>& described() const { return described_; }

 private:
  bool kept_ = false;
  u64 mispredicts_before_ = 0;
  std::vector<Operation> block_;
  std::map<Kind, u64> counts_;
  std::map<u64, Operation> described_;
};

// Sets the outcome of the branch that ends a block when the next address is known.
void settle_branch(Operation& branch, u64 next, bool mispredicted);

}  // namespace wperf::sim
