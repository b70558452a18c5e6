// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/contract_names.h"

#include "formats/spe/packets.h"

namespace wperf::spe {
namespace {

constexpr EventName kNames[] = {
    {kEventException, "exception", "generated-exception", "ended in an exception"},
    {kEventRetired, "retired", "retired", "architecturally retired"},
    {kEventL1dAccess, "l1d-access", "level1-data-cache-access", "accessed the level 1 data cache"},
    {kEventL1dRefill, "l1d-refill", "level1-data-cache-refill", "missed the level 1 data cache"},
    {kEventTlbAccess, "tlb-access", "tlb_access", "accessed a TLB"},
    {kEventTlbWalk, "tlb-walk", "tlb-walk", "caused a page table walk"},
    {kEventNotTaken, "not-taken", "not-taken", "a conditional instruction whose condition failed"},
    {kEventMispredicted, "mispredicted", "mispredicted", "a mispredicted branch"},
    {kEventLlcAccess, "llc-access", "last-level-cache-access", "accessed the last-level cache"},
    {kEventLlcMiss, "llc-miss", "last-level-cache-miss", "missed the last-level cache"},
    {kEventRemoteAccess, "remote-access", "remote-acess", "accessed another socket"},  // the contract has this spelling
    {kEventMisaligned, "misaligned", "alignment", "was unaligned"},
    {kEventTransaction, "transaction", "", "ran inside a transaction"},
    {kEventPartialPredicate, "sve-partial-predicate", "sve-partial-predicate", "used only some lanes of its vector"},
    {kEventEmptyPredicate, "sve-empty-predicate", "sve-empty-predicate", "used no lanes of its vector"},
    {kEventL2dAccess, "l2d-access", "", "accessed the level 2 data cache"},
    {kEventL2dMiss, "l2d-miss", "", "missed the level 2 data cache"},
    {kEventModified, "modified", "", "got data that another cache had modified"},
    {kEventRecentlyFetched, "recently-fetched", "", "used data that was already being fetched"},
    {kEventSnooped, "snooped", "", "got data from a snooped cache"},
    {kEventStreaming, "streaming-sve", "", "ran in streaming SVE mode"},
    {kEventSharedUnit, "shared-unit", "", "ran on a unit that cores share (SMCU)"},
};

constexpr u32 kContractOrder[] = {
    kEventMisaligned,       kEventRetired,      kEventEmptyPredicate, kEventException,    kEventLlcAccess,
    kEventLlcMiss,          kEventL1dAccess,    kEventL1dRefill,      kEventMispredicted, kEventNotTaken,
    kEventPartialPredicate, kEventRemoteAccess, kEventTlbAccess,      kEventTlbWalk,
};

constexpr u64 contract_mask() {
  u64 mask = 0;
  for (const u32 bit : kContractOrder) mask |= u64{1} << bit;
  return mask;
}

std::string_view contract_name(u32 bit) {
  for (const EventName& event : kNames) {
    if (event.bit == bit) return event.contract_name;
  }
  return {};
}

}  // namespace

std::span<const EventName> event_names() {
  return kNames;
}

u64 contract_events(u64 events) {
  return events & contract_mask();
}

std::string contract_event_names(u64 events) {
  std::string names;
  for (const u32 bit : kContractOrder) {
    if ((events >> bit & 1) == 0) continue;
    if (!names.empty()) names += '+';
    names += contract_name(bit);
  }
  return names;
}

namespace {

constexpr std::string_view kTexts[kOperationNameCount] = {
    "OTHER",
    "LOAD_STORE_ATOMIC-LOAD-GP",
    "LOAD_STORE_ATOMIC-LOAD-SIMD-FP",
    "LOAD_STORE_ATOMIC-LOAD-OTHER",
    "LOAD_STORE_ATOMIC-STORE-GP",
    "LOAD_STORE_ATOMIC-STORE-SIMD-FP",
    "LOAD_STORE_ATOMIC-STORE-OTHER",
    "BRANCH_OR_EXCEPTION-CONDITIONAL-DIRECT",
    "BRANCH_OR_EXCEPTION-CONDITIONAL-INDIRECT",
    "BRANCH_OR_EXCEPTION-UNCONDITIONAL-DIRECT",
    "BRANCH_OR_EXCEPTION-UNCONDITIONAL-INDIRECT",
};

OperationName name_at(OperationName first, u32 offset) {
  return static_cast<OperationName>(static_cast<u32>(first) + offset);
}

}  // namespace

// Uses only the bits, as the contract does. In the contract an atomic operation is a load or store of kind OTHER.
OperationName operation_name(const Record& record) {
  const u64 word = record.raw(Field::operation);
  const u32 payload = static_cast<u32>(word & 0xff);
  switch (word >> 8) {
    case kClassMemory: {
      const u32 registers = payload >> 1;
      const OperationName first = (payload & 1) != 0 ? OperationName::store_general : OperationName::load_general;
      return name_at(first, registers == 0 ? 0 : registers == 2 ? 1 : 2);
    }
    case kClassBranch: {
      const OperationName first =
          (payload & 1) != 0 ? OperationName::conditional_direct : OperationName::unconditional_direct;
      return name_at(first, payload >> 1 & 1);
    }
    default:
      return OperationName::other;
  }
}

std::string_view text_of(OperationName name) {
  return kTexts[static_cast<usize>(name)];
}

std::string source_name(OperationName name, u64 events) {
  return std::string(text_of(name)) + '/' + contract_event_names(events);
}

}  // namespace wperf::spe
