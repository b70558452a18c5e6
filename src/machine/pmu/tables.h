// SPDX-License-Identifier: BSD-3-Clause
// The shape of the generated tables (generated/*.cpp, written by tools/gen_catalogue.py). Private to this room.
// Strings are numbers into one pool and everything else is 16-bit numbers, so the tables hold no pointer, need no
// relocation and are shared read-only pages. They are trusted: the generator has checked every number in them.
#pragma once
#include <string_view>

#include "base/ints.h"
#include "machine/pmu/catalogue.h"

namespace wperf::pmu::tables {

using StringId = u16;

inline constexpr u32 kPoolRowBytes = 32768;       // strings lie in rows of this size and never cross a border
inline constexpr u16 kArchitecturalBit = 0x8000;  // in EventRow::text

struct EventText {
  StringId name, title, description;
};

struct EventRow {
  u16 text;  // index into kEventTexts, and kArchitecturalBit
  u16 code;
};

// The name of an event elsewhere.
struct OtherName {
  StringId name;
  u16 code;
};

// A run of kEvents, ascending by code; the same run of kEventsByName holds its order by name, as offsets into it.
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
  u16 first_metric, metric_count;    // a run of kMetricLists
  u16 first_group, group_count;      // a run of kGroupLists
  u16 first_topdown, topdown_count;  // a run of kTopdown
  u16 first_other_name, other_name_count;
};

// Sorted. This row applies to a product if the revision (variant << 4 | revision) is at least from_revision.
struct IdentityRow {
  u16 implementer, part, from_revision, product;
};

extern const char kPool[][kPoolRowBytes];
extern const u32 kStringOffsets[];
extern const u16 kStringLengths[];
extern const EventText kEventTexts[];
extern const EventRow kEvents[];
extern const u16 kEventsByName[];
extern const OtherName kOtherNames[];  // alphabetical within one product
extern const MetricRow kMetrics[];
extern const u16 kMetricLists[];  // indexes into kMetrics, alphabetical by name within one product
extern const GroupRow kGroups[];
extern const u16 kGroupLists[];
extern const TopdownRow kTopdown[];   // alphabetical by metric within one product
extern const ProductRow kProducts[];  // alphabetical
extern const u16 kProductCount;
extern const u16 kArchitecturalProduct;
extern const EventRange kUncore[];  // by EventClass
extern const IdentityRow kIdentities[];
extern const u16 kIdentityCount;
extern const Alias kAliases[];  // alphabetical
extern const u16 kAliasCount;

inline std::string_view string(StringId id) {
  const u32 offset = kStringOffsets[id];
  return {kPool[offset / kPoolRowBytes] + offset % kPoolRowBytes, kStringLengths[id]};
}

}  // namespace wperf::pmu::tables
