// SPDX-License-Identifier: BSD-3-Clause
// The types of the generated tables (generated/*.cpp, written by tools/gen_catalogue.py). Private to this room. Strings
// are indices into one pool and all other values are 16-bit numbers, so the tables have no pointers, need no relocation
// and are shared read-only pages. They are trusted, because the generator checked every number in them.
#pragma once
#include <string_view>

#include "base/ints.h"
#include "machine/pmu/catalogue.h"

namespace wperf::pmu::tables {

using StringId = u16;

inline constexpr u32 kPoolRowBytes = 32768;       // strings are in rows of this size and never cross a row's end
inline constexpr u16 kArchitecturalBit = 0x8000;  // in EventRow::text

struct EventText {
  StringId name, title, description;
};

struct EventRow {
  u16 text;  // index into kEventTexts, with kArchitecturalBit
  u16 code;
};

// The event's name in other sources.
struct OtherName {
  StringId name;
  u16 code;
};

// A range of kEvents, ascending by number. The same range of kEventsByName has offsets into this range, ordered by
// name.
struct EventRange {
  u16 first, count;
};

struct MetricRow {
  StringId name, title, description, formula, postfix, unit, events;
};

struct GroupRow {
  StringId name, title, description, metrics;
};

struct TopdownRow {
  StringId metric, next, events;
  u16 is_root;
};

struct ProductRow {
  StringId name, title, architecture, pmu_architecture;
  u16 slots;
  u16 has_own_events;
  u16 first_event, event_count;
  u16 first_metric, metric_count;    // a range of kMetricLists
  u16 first_group, group_count;      // a range of kGroupLists
  u16 first_topdown, topdown_count;  // a range of kTopdown
  u16 first_other_name, other_name_count;
};

// Sorted. A row applies to a product whose revision (variant << 4 | revision) is at least from_revision.
struct IdentityRow {
  u16 implementer, part, from_revision, product;
};

extern const char kPool[][kPoolRowBytes];
extern const u32 kStringOffsets[];
extern const u16 kStringLengths[];
extern const EventText kEventTexts[];
extern const EventRow kEvents[];
extern const u16 kEventsByName[];
extern const OtherName kOtherNames[];  // in alphabetical order for each product
extern const MetricRow kMetrics[];
extern const u16 kMetricLists[];  // indices into kMetrics, in alphabetical order for each product
extern const GroupRow kGroups[];
extern const u16 kGroupLists[];
extern const TopdownRow kTopdown[];   // in alphabetical order of metrics for each product
extern const ProductRow kProducts[];  // alphabetical
extern const u16 kProductCount;
extern const u16 kArchitecturalProduct;
extern const EventRange kUncore[];  // indexed by EventClass
extern const IdentityRow kIdentities[];
extern const u16 kIdentityCount;
extern const Alias kAliases[];  // alphabetical
extern const u16 kAliasCount;

inline std::string_view string(StringId id) {
  const u32 offset = kStringOffsets[id];
  return {kPool[offset / kPoolRowBytes] + offset % kPoolRowBytes, kStringLengths[id]};
}

}  // namespace wperf::pmu::tables
