// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/operation.h"

#include "sim/cpu/cycle_costs.h"

namespace wperf::sim {
namespace {

// CSEL and its variants, CCMP, CCMN, FCSEL, FCCMP.
bool depends_on_condition(u32 word) {
  const u32 integer = word & 0x1fe00000, floating = word & 0xff200c00;
  return integer == 0x1a800000 || integer == 0x1a400000 || floating == 0x1e200c00 || floating == 0x1e200400;
}

// Cycles from issue to result if all inputs are ready.
u32 execution_of(const Operation& operation) {
  const Instruction& instruction = operation.instruction;
  if (instruction.is(Trait::load)) return kLoadToUse;
  u32 cycles = 1;
  if (instruction.is(Trait::integer_divide)) cycles += kIntegerDivideWait;
  if (instruction.is(Trait::float_divide)) cycles += kFloatDivideWait;
  if (instruction.is(Trait::isb)) cycles += kIsbWait;
  if (instruction.is(Trait::dsb)) cycles += kDsbWait;
  return cycles;
}

}  // namespace

Operation describe_operation(u64 pc, u32 word) {
  Operation operation;
  operation.pc = pc;
  operation.instruction = classify_instruction(word);
  operation.conditional = depends_on_condition(word);
  operation.returns_data = operation.is_atomic() && (word & 0x1f) != 0x1f;  // the other names begin with ST
  return operation;
}

void add_access(Operation& operation, u64 address, const AccessOutcome& outcome) {
  if (!operation.accessed) operation.address = address;
  operation.accessed = true;
  operation.access.add(outcome);
}

void settle_latency(Operation& operation) {
  operation.issue_latency = kIssueLatency;
  operation.total_latency =
      kIssueLatency + execution_of(operation) + operation.access.translation + operation.access.wait;
}

}  // namespace wperf::sim
