// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/event_names.h"

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
    {kEventRemoteAccess, "remote-access", "remote-acess", "accessed another socket"},  // the contract spells it so
    {kEventMisaligned, "misaligned", "alignment", "was unaligned"},
    {kEventTransaction, "transaction", "", "ran inside a transaction"},
    {kEventPartialPredicate, "sve-partial-predicate", "sve-partial-predicate", "used only some lanes of its vector"},
    {kEventEmptyPredicate, "sve-empty-predicate", "sve-empty-predicate", "used no lanes of its vector"},
    {kEventL2dAccess, "l2d-access", "", "accessed the level 2 data cache"},
    {kEventL2dMiss, "l2d-miss", "", "missed the level 2 data cache"},
    {kEventModified, "modified", "", "got data that another cache had modified"},
    {kEventRecentlyFetched, "recently-fetched", "", "got data that was already on its way"},
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

}  // namespace wperf::spe
