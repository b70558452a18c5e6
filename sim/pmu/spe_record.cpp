// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/spe_record.h"

#include <algorithm>

namespace wperf::sim {
namespace {

constexpr u64 kLow56 = 0x00ff'ffff'ffff'ffff;
constexpr u64 kNonSecure = u64{1} << 63;
constexpr u64 kPhysicalBits = (u64{1} << 48) - 1;

// Headers of packets.
constexpr u8 kEnd = 0x01, kEvents = 0x52, kSource = 0x43, kContext = 0x64, kOther = 0x48, kMemory = 0x49,
             kBranch = 0x4a;
constexpr u8 kTotal = 0x98, kIssue = 0x99, kTranslation = 0x9a, kTimestamp = 0x71;
constexpr u8 kProgramCounter = 0xb0, kTarget = 0xb1, kVirtual = 0xb2, kPhysical = 0xb3, kPrevious = 0xb4;

class Packets {
 public:
  explicit Packets(SpeRecord& record) : record_(record) {}
  void put(u8 header, u64 payload, usize size) {
    record_[at_++] = header;
    for (usize i = 0; i < size; ++i) record_[at_++] = static_cast<u8>(payload >> 8 * i);
  }
  void skip_to(usize offset) { at_ = offset; }

 private:
  SpeRecord& record_;
  usize at_ = 0;
};

u64 other_payload(const Operation& operation) {
  const Instruction& instruction = operation.instruction;
  const bool vector = instruction.is(Trait::advanced_simd) || instruction.is(Trait::crypto);
  return u64{operation.conditional} | u64{instruction.is(Trait::floating_point)} << 1 | u64{vector} << 2;
}

u64 memory_payload(const Operation& operation) {
  const Instruction& instruction = operation.instruction;
  const bool exclusive = instruction.is(Trait::load_exclusive) || instruction.is(Trait::store_exclusive);
  const bool ordered = instruction.is(Trait::acquire) || instruction.is(Trait::release);
  if (operation.is_atomic()) {
    return 0x02 | u64{!operation.returns_data} | 1 << 2 | u64{ordered} << 4;
  }
  const u64 store = u64{instruction.is(Trait::store)};
  if (exclusive || ordered) return 0x02 | store | u64{exclusive} << 3 | u64{ordered} << 4;
  return store | (instruction.is(Trait::vector_register) ? 0x04 : 0x00);
}

// FEAT_SPE_CRR records whether a branch is a branch-with-link, a return or neither. This model treats it as part of
// FEAT_SPEv1p2.
u64 branch_payload(const Operation& operation, u32 version) {
  u64 conditional = 0, indirect = 0, kind = 3;
  switch (operation.instruction.branch) {
    case BranchKind::conditional:
      conditional = 1;
      break;
    case BranchKind::call:
      kind = 1;
      break;
    case BranchKind::indirect_call:
      indirect = kind = 1;
      break;
    case BranchKind::procedure_return:
      indirect = 1;
      kind = 2;
      break;
    case BranchKind::indirect_jump:
      indirect = 1;
      break;
    default:
      break;
  }
  return conditional | indirect << 1 | (version >= 3 ? kind << 3 : 0);
}

// The encoding that Arm's cores have in common.
u64 source_number(DataSource source) {
  switch (source) {
    case DataSource::l1:
      return 0x0;
    case DataSource::l2:
      return 0x8;
    case DataSource::peer_core:
      return 0x9;
    case DataSource::l3:
      return 0xa;
    case DataSource::peer_cluster:
      return 0xc;
    case DataSource::dram:
      return 0xe;
  }
  return 0;
}

}  // namespace

u64 spe_code_address(u64 address, Level level) {
  return (address & kLow56) | kNonSecure | u64{level == Level::kernel} << 61;
}

u32 spe_latency(u32 cycles, u32 version) {
  return std::min(cycles, version >= 3 ? 0xffffU : 0xfffU);
}

u64 spe_events(const Operation& operation, u32 version) {
  const AccessOutcome& access = operation.access;
  u64 events = 0;
  const auto set = [&](u32 bit, bool present) { events |= u64{present} << bit; };
  set(0, operation.exception);
  set(1, operation.retired);
  set(2, operation.accessed);
  set(3, access.refill);
  set(4, operation.accessed);
  set(5, access.walk);
  set(6, operation.not_taken);
  set(7, operation.mispredicted);
  set(8, access.last_level);
  set(9, access.last_level && access.source >= DataSource::peer_cluster);
  set(11, version >= 2 && access.unaligned);
  return events;
}

SpeRecord encode_spe_record(const Operation& operation, const SpeRecordOptions& options) {
  SpeRecord record{};
  Packets packets(record);
  packets.put(kProgramCounter, spe_code_address(operation.pc, operation.level), 8);
  packets.skip_to(14);
  if (options.context) packets.put(kContext, options.context_id, 4);
  packets.skip_to(19);
  const bool memory = operation.is_memory(), branch = operation.is_branch();
  if (memory) {
    packets.put(kMemory, memory_payload(operation), 1);
  } else if (branch) {
    packets.put(kBranch, branch_payload(operation, options.version), 1);
  } else {
    packets.put(kOther, other_payload(operation), 1);
  }
  packets.put(kEvents, options.events, 2);
  packets.put(kIssue, spe_latency(operation.issue_latency, options.version), 2);
  packets.put(kTotal, spe_latency(operation.total_latency, options.version), 2);
  bool room = true;
  if (memory && operation.accessed) {
    packets.put(kVirtual, operation.address & kLow56, 8);
    packets.put(kTranslation, spe_latency(operation.access.translation, options.version), 2);
    if (options.physical) packets.put(kPhysical, (operation.address & kPhysicalBits) | kNonSecure, 8);
    room = !options.physical;
  } else if (branch) {
    packets.put(kTarget, spe_code_address(operation.target, operation.level), 8);
  }
  if (room && options.previous_target != 0) packets.put(kPrevious, options.previous_target, 8);
  if (memory && operation.accessed && operation.instruction.is(Trait::load)) {
    packets.skip_to(51);
    packets.put(kSource, source_number(operation.access.source), 1);
  }
  packets.skip_to(55);
  if (options.timestamp) {
    packets.put(kTimestamp, options.ticks, 8);
  } else {
    packets.put(kEnd, 0, 0);
  }
  return record;
}

}  // namespace wperf::sim
