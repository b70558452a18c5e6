// SPDX-License-Identifier: BSD-3-Clause
// The counted events and metrics, and the cores, as lists of the command line.
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
  std::optional<u32> group;   // index of the group within this list, 0-based
};
struct EventList {
  std::vector<EventToken> tokens;
};
struct MetricName {
  std::string name;  // a metric or a group of metrics
};
// -e and -m in the order of the command line: it decides the numbers of the groups.
using CountItem = std::variant<EventList, MetricName>;

struct CoreRange {
  u32 first = 0, last = 0;  // inclusive, first <= last
};

// Counting lists (contract 3.1): `inst_spec,{ld_spec,st_spec},r1b,/dsu/{l3d_cache,/dsu/l3d_cache_refill}`. The grammar
// of -e for stat and test, of metric files and of built-in metrics. Names are not looked up here.
diag::Result<EventList> parse_event_list(std::string_view text);

// core, dsu, dmc_clk, dmc_clkdiv2.
std::string_view class_name(EventClass event_class);

// Token i belongs to the group of the token before it.
bool continues_group(const EventList& list, usize i);

// r1b, 27, 0x1b, 033. nullopt for a name. Text that only starts like a number is also a name, which plan will not find.
diag::Result<std::optional<u32>> parse_raw_event(std::string_view text);

// Two commas in a row, `{}`, `:100`: mistakes in a list to count or to sample.
diag::Error nameless_event(std::string_view list);

// The value of -c and of --cores: `0,2-5,7-6` (contract 2.3). plan decides whether a core exists.
inline constexpr u64 kMaxListedCores = 128;  // in -c

struct CoreOption {
  std::string_view name;
  u64 limit;  // the most cores that the list may name, repeated ones included
};
inline constexpr CoreOption kMeasuredCores{"-c", kMaxListedCores};
inline constexpr CoreOption kSampledCores{"--cores", ~u64{0}};

diag::Result<std::vector<CoreRange>> parse_core_list(std::string_view text, const CoreOption& option = kMeasuredCores);

}  // namespace wperf::request
