// SPDX-License-Identifier: BSD-3-Clause
// The events, metrics and cores to count, as lists of the command line.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// One token of a counting list (contract 3.1): a name or a number, its class, and its group.
struct EventToken {
  EventClass event_class = EventClass::core;
  std::string text;           // as typed, without prefix and braces
  std::optional<u32> number;  // raw: r1b, 27, 0x1b
  std::optional<u32> group;   // index of the group within this list, from 0
};
struct EventList {
  std::vector<EventToken> tokens;
};
struct MetricName {
  std::string name;  // the name of a metric or of a group of metrics
};
// The values of -e and -m in the order of the command line, which decides the numbers of the groups.
using CountItem = std::variant<EventList, MetricName>;

struct CoreRange {
  u32 first = 0, last = 0;  // inclusive, first <= last
};

// Parses a counting list (contract 3.1): `inst_spec,{ld_spec,st_spec},r1b,/dsu/{l3d_cache,/dsu/l3d_cache_refill}`. This
// is the grammar of -e for stat and test, of metric files and of built-in metrics. Names are not looked up here.
diag::Result<EventList> parse_event_list(std::string_view text);

// Is token i in the same group as the token before it?
bool continues_group(const EventList& list, usize i);

// Parses r1b, 27, 0x1b, 033. Returns nullopt for a name. Text that only starts like a number counts as a name; plan
// will not find it.
diag::Result<std::optional<u32>> parse_raw_event(std::string_view text);

// The error for a list with two commas in a row, `{}` or `:100`.
diag::Error nameless_event(std::string_view list);

// Parses the value of -c and of --cores: `0,2-5,7-6` (contract 2.3). plan decides whether a core exists.
inline constexpr u64 kMaxListedCores = 128;  // in -c

struct CoreOption {
  std::string_view name;
  u64 limit;  // how many cores the list may name, counting repeated ones
};
inline constexpr CoreOption kMeasuredCores{"-c", kMaxListedCores};
inline constexpr CoreOption kSampledCores{"--cores", ~u64{0}};

diag::Result<std::vector<CoreRange>> parse_core_list(std::string_view text, const CoreOption& option = kMeasuredCores);

// A hexadecimal mask of cores with or without 0x: `2` is core 1, `f` are cores 0 to 3. `option`: as the user spelled
// it.
diag::Result<u64> parse_core_mask(std::string_view text, std::string_view option);

}  // namespace wperf::request
