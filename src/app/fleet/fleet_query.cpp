// SPDX-License-Identifier: BSD-3-Clause
#include "app/fleet/fleet_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/push/clickhouse_table.h"
#include "ground/text/parts.h"

namespace wperf::fleet {
namespace {

using request::FleetAddress;

std::string column_of(std::string_view label) {
  return push::is_label_column(label) ? std::string(label)
                                      : fmt::format("label_values[indexOf(label_names, {})]", push::in_sql(label));
}

std::string condition_of(const FleetAddress::Choice& choice) {
  std::string values;
  for (const std::string& value : choice.values) {
    values += values.empty() ? "" : ", ";
    values += push::in_sql(value);
  }
  return fmt::format("{} IN ({})", column_of(choice.label), values);
}

// The last DateTime is in the year 2106.
std::string in_sql_time(u64 unix_s) {
  constexpr u64 kLatest = 0xffff'ffff;
  return fmt::format("toDateTime({})", std::min(unix_s, kLatest));
}

// " WHERE …", or an empty text.
std::string conditions_of(const FleetAddress& address) {
  std::string out;
  const auto add = [&](const std::string& condition) { out += (out.empty() ? " WHERE " : " AND ") + condition; };
  if (address.since_unix_s.has_value()) add("time >= " + in_sql_time(*address.since_unix_s));
  if (address.until_unix_s.has_value()) add("time < " + in_sql_time(*address.until_unix_s));
  for (const FleetAddress::Choice& choice : address.choices) add(condition_of(choice));
  return out;
}

}  // namespace

std::string hosts_query(const FleetAddress& address) {
  const std::string of_profiles = fmt::format(
      "SELECT host, profile, toUInt32(any(time)) AS begun, begun + toUInt32(ceil(max(seconds))) AS ended, "
      "max(seconds) AS length, max(missing) AS gone FROM {}{} GROUP BY host, profile",
      push::kFleetTable, conditions_of(address));
  constexpr std::array kColumns = {"host",        "toString(count())",  "toString(min(begun))", "toString(max(ended))",
                                   "sum(length)", "toString(sum(gone))"};
  return fmt::format("SELECT {} FROM ({}) GROUP BY host ORDER BY host FORMAT JSONCompact", text::joined(kColumns, ", "),
                     of_profiles);
}

std::string counts_query(const FleetAddress& address, bool by_host) {
  return fmt::format(
      "SELECT toString(stack), groupArray(event), groupArray(thread), groupArray(place), "
      "groupArray(toString(counted)), "
      "groupArray(toString(weight)) FROM (SELECT stack, event, thread, {} AS place, sum(samples) AS counted, "
      "sum(period) AS weight FROM {} FINAL{} GROUP BY stack, event, thread, place) "
      "GROUP BY stack ORDER BY stack FORMAT JSONCompact",
      by_host ? "host" : "''", push::kFleetTable, conditions_of(address));
}

std::string stacks_query(const FleetAddress& address) {
  return fmt::format(
      "SELECT toString(stack), functions, modules, files, lines, marks FROM {}{} LIMIT 1 BY stack "
      "FORMAT JSONCompact",
      push::kFleetTable, conditions_of(address));
}

std::string values_query(const FleetAddress& address) {
  constexpr u32 kMostValues = 20;
  const std::string label = address.choices.empty() ? "build" : address.choices.front().label;
  return fmt::format(
      "SELECT {} AS label, uniqExact(profile) AS number, toUInt32(max(time)) AS newest FROM {} GROUP BY label ORDER BY "
      "newest DESC, label "
      "LIMIT {} FORMAT TabSeparated",
      column_of(label), push::kFleetTable, kMostValues);
}

}  // namespace wperf::fleet
