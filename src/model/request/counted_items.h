// SPDX-License-Identifier: BSD-3-Clause
// The counted events and metrics, and the cores, as lists of the command line.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

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

}  // namespace wperf::request
