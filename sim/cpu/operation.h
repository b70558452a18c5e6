// SPDX-License-Identifier: BSD-3-Clause
// One executed instruction as a profiler sees it, with its outcome. The engine fills it in for the instructions that a
// Profiler chooses, and for all of them while a test keeps OperationTotals.
#pragma once
#include "base/ints.h"
#include "sim/cpu/core_memory.h"
#include "sim/cpu/instruction_class.h"
#include "sim/cpu/signals.h"

namespace wperf::sim {

struct Operation {
  u64 pc = 0;
  Level level = Level::user;
  Instruction instruction;
  bool conditional = false;   // selects or compares if a condition holds; for branches see instruction.branch
  bool returns_data = false;  // for atomics: the old value in memory is returned

  bool accessed = false;  // it accesses memory; if true, the next two are set
  u64 address = 0;        // address of the first byte of the first access
  AccessOutcome access;   // outcome of all its accesses together

  u64 target = 0;  // for branches: the address where execution continued
  bool not_taken = false, mispredicted = false;

  bool exception = false;  // ended in an exception
  bool retired = true;

  u64 begun = 0;  // cycles of the core
  u32 issue_latency = 0, total_latency = 0;

  bool is_memory() const { return instruction.is(Trait::load) || instruction.is(Trait::store); }
  bool is_atomic() const { return instruction.is(Trait::load) && instruction.is(Trait::store); }
  bool is_branch() const { return instruction.branch != BranchKind::none; }
};

// The fields of an operation that its encoding determines.
Operation describe_operation(u64 pc, u32 word);
// Adds an access.
void add_access(Operation& operation, u64 address, const AccessOutcome& outcome);
// Computes the latencies from the other fields.
void settle_latency(Operation& operation);

}  // namespace wperf::sim
