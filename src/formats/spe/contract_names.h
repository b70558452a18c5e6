// SPDX-License-Identifier: BSD-3-Clause
// The names of sampled operations and their events: names from the contract (9.9), and names that wperf adds.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "formats/spe/record_reader.h"

namespace wperf::spe {

// The names of a sampled operation's events: from the contract (9.9), and for further events from wperf.
inline constexpr u32 kEventException = 0, kEventRetired = 1, kEventL1dAccess = 2, kEventL1dRefill = 3,
                     kEventTlbAccess = 4, kEventTlbWalk = 5, kEventNotTaken = 6, kEventMispredicted = 7,
                     kEventLlcAccess = 8, kEventLlcMiss = 9, kEventRemoteAccess = 10, kEventMisaligned = 11,
                     kEventTransaction = 16, kEventPartialPredicate = 17, kEventEmptyPredicate = 18,
                     kEventL2dAccess = 19, kEventL2dMiss = 20, kEventModified = 21, kEventRecentlyFetched = 22,
                     kEventSnooped = 23, kEventStreaming = 24, kEventSharedUnit = 25;

inline bool has_event(const Record& record, u32 event) {
  return (record.events() >> event & 1) != 0;
}
// A taken branch with a target.
inline bool is_taken_branch(const Record& record) {
  return record.has(Field::branch_target) && !has_event(record, kEventNotTaken);
}

struct EventName {
  u32 bit;
  std::string_view name;           // "l1d-refill"
  std::string_view contract_name;  // "level1-data-cache-refill"; empty if the contract has no name
  std::string_view title;          // "missed the level 1 data cache"
};

std::span<const EventName> event_names();  // ordered by bit, ascending

// The events that have a name in contract_event_names(). Records that differ only in other events belong to one
// section.
u64 contract_events(u64 events);

// "retired+level1-data-cache-access+tlb_access": the names and order of the contract; may be empty.
std::string contract_event_names(u64 events);

// The contract's names of sampled operations (9.9). The report has one section for each distinct "OP/EVENTS".

// The operations that the contract distinguishes. The value is also an index.
enum class OperationName : u8 {
  other,  // also used if the kind is missing or reserved
  load_general,
  load_simd_fp,
  load_other,
  store_general,
  store_simd_fp,
  store_other,
  conditional_direct,
  conditional_indirect,
  unconditional_direct,
  unconditional_indirect,
};
inline constexpr usize kOperationNameCount = 11;

OperationName operation_name(const Record& record);
std::string_view text_of(OperationName name);  // "LOAD_STORE_ATOMIC-LOAD-GP"

// "LOAD_STORE_ATOMIC-LOAD-GP/retired+level1-data-cache-access"
std::string source_name(OperationName name, u64 events);

}  // namespace wperf::spe
