// SPDX-License-Identifier: BSD-3-Clause
// The address of profiles on a server: clickhouse://HOST/DB?build=42&since=1h, pyroscope://HOST/?query=…. Only `report`
// and `diff` take one, and only on the command line. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

struct FleetAddress {
  enum class Kind : u8 { clickhouse, pyroscope };
  // A label must have one of these values.
  struct Choice {
    std::string label;
    std::vector<std::string> values;
  };
  Kind kind = Kind::clickhouse;
  std::string url;              // "https://HOST:PORT/PATH", without a / at its end
  std::vector<Choice> choices;  // for ClickHouse; each label once, in the user's order
  std::string query;            // for Pyroscope: TYPE{SELECTOR}
  std::optional<u64> since_unix_s, until_unix_s;
};

bool is_fleet_address(std::string_view text);

// Durations such as since=1h are counted back from `now_unix_s`.
diag::Result<FleetAddress> parse_fleet_address(std::string_view text, u64 now_unix_s);

}  // namespace wperf::request
