// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/count_tables.h"

#include <fmt/format.h>

#include <set>

#include "ground/text/number_text.h"

namespace wperf::report {
namespace {

constexpr EventClass kDmcClasses[] = {EventClass::dmc_clk, EventClass::dmc_clkdiv2};

std::string index_text(const answers::CountRow& row, int digits) {
  return row.code.has_value() ? text::hex(*row.code, digits) : "fixed";
}

std::string number_or_all(const std::optional<u32>& number) {
  return number.has_value() ? std::to_string(*number) : "all";
}

std::string shown(std::string value, bool counted, Face face) {
  return counted || face == Face::json ? std::move(value) : std::string("-");
}

void append_dmc_rows(Table& table, const std::string& pmu_id, std::span<const answers::CountRow> rows) {
  for (const answers::CountRow& row : rows) {
    table.rows.push_back({pmu_id, text::with_commas(row.value), row.name, index_text(row, 4), row.note});
  }
}

void append_estimates(Table& table, const std::string& unit, std::span<const answers::CountRow> rows) {
  for (const answers::CountRow& row : rows) {
    if (!row.code.has_value()) continue;  // the fixed counter is always on
    std::string interval = row.has_interval ? fmt::format("{} .. {}", text::with_commas(text::whole_count(row.low)),
                                                          text::with_commas(text::whole_count(row.high)))
                                            : std::string(row.counted() ? "unknown" : "not counted");
    table.rows.push_back({unit, row.name, row.note, text::fixed(row.fraction * 100, 2), text::with_commas(row.scaled),
                          std::move(interval)});
  }
}

void append_runs(Table& table, const std::string& unit, std::span<const answers::CountRow> rows) {
  for (const answers::CountRow& row : rows) {
    table.rows.push_back({unit, row.name, row.note, text::with_commas(row.value), deviation_text(row)});
  }
}

}  // namespace

const answers::ClassCounts& class_counts(const answers::CountProfile& profile, EventClass event_class) {
  return profile.classes[index_of(event_class)];
}

bool dmc_scheduled(const answers::CountProfile& profile) {
  return class_counts(profile, EventClass::dmc_clk).scheduled ||
         class_counts(profile, EventClass::dmc_clkdiv2).scheduled;
}

std::string_view class_name(EventClass event_class) {
  static constexpr std::string_view kNames[kEventClassCount] = {"core", "dsu", "dmc_clk", "dmc_clkdiv2"};
  return kNames[index_of(event_class)];
}

std::string_view unit_name(EventClass event_class) {
  static constexpr std::string_view kNames[kEventClassCount] = {"core", "dsu", "dmc", "dmc"};
  return kNames[index_of(event_class)];
}

Table counter_table(std::span<const answers::CountRow> rows, CounterRows kind, bool multiplexed) {
  const bool with_slots = multiplexed && kind != CounterRows::overall;
  const int digits = kind == CounterRows::core ? 2 : 4;
  Table table;
  table.columns = {{"counter value", Align::right, true}, {"event name"}, {"event idx"}, {"event note"}};
  if (with_slots) table.columns.push_back({"multiplexed", Align::right});
  if (multiplexed) table.columns.push_back({"scaled value", Align::right, true});
  table.rows.reserve(rows.size());
  for (const answers::CountRow& row : rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    cells.reserve(table.columns.size());
    cells.push_back(text::with_commas(row.value));
    cells.push_back(row.name);
    cells.push_back(index_text(row, digits));
    cells.push_back(row.note);
    if (with_slots) cells.push_back(fmt::format("{}/{}", row.slots, row.rounds));
    if (multiplexed) cells.push_back(text::with_commas(row.scaled));
  }
  return table;
}

Table telemetry_table(std::span<const answers::MetricRow> metrics) {
  Table table;
  table.columns = {{"core", Align::right}, {"product_name"}, {"metric_name"}, {"value", Align::right}, {"unit"}};
  table.rows.reserve(metrics.size());
  for (const answers::MetricRow& row : metrics) {
    table.rows.push_back({std::to_string(row.core), row.product, row.metric,
                          shown(text::fixed(row.value, 3), row.counted, Face::text), row.unit});
  }
  return table;
}

Table l3_table(std::span<const answers::L3Row> rows, Face face) {
  Table table;
  table.columns = {{"cluster", Align::right},
                   {"cores", Align::right},
                   {"read_bandwidth", Align::right},
                   {"miss_rate", Align::right}};
  for (const answers::L3Row& row : rows) {
    std::string cores = row.cluster.has_value() ? fmt::format("{}", fmt::join(row.cores, ", ")) : "all";
    table.rows.push_back({number_or_all(row.cluster), std::move(cores),
                          shown(text::fixed(row.bandwidth_mb, 2) + "MB", row.counted, face),
                          shown(text::fixed(row.miss_percent, 2) + "%", row.counted, face)});
  }
  return table;
}

Table dmc_table(const answers::CountProfile& profile) {
  Table table;
  table.columns = {{"pmu id"}, {"counter value", Align::right, true}, {"event name"}, {"event idx"}, {"event note"}};
  std::set<u32> channels;
  for (const EventClass event_class : kDmcClasses) {
    for (const answers::CountUnit& unit : class_counts(profile, event_class).units) channels.insert(unit.number);
  }
  for (const u32 channel : channels) {
    for (const EventClass event_class : kDmcClasses) {
      for (const answers::CountUnit& unit : class_counts(profile, event_class).units) {
        if (unit.number == channel) append_dmc_rows(table, fmt::format("dmc {}", channel), unit.rows);
      }
    }
  }
  for (const EventClass event_class : kDmcClasses) {
    append_dmc_rows(table, "overall", class_counts(profile, event_class).overall);
  }
  return table;
}

Table ddr_table(std::span<const answers::DdrRow> rows, Face face) {
  Table table;
  table.columns = {{"channel", Align::right}, {"rw_bandwidth", Align::right}};
  for (const answers::DdrRow& row : rows) {
    table.rows.push_back(
        {number_or_all(row.channel), shown(text::fixed(row.bandwidth_mb, 2) + "MB", row.counted, face)});
  }
  return table;
}

Table estimate_table(const answers::CountProfile& profile) {
  Table table;
  table.columns = {{"unit"},
                   {"event name"},
                   {"event note"},
                   {"measured (%)", Align::right},
                   {"scaled value", Align::right},
                   {"95 % interval", Align::right}};
  for (const EventClass event_class : kEventClasses) {
    const answers::ClassCounts& counts = class_counts(profile, event_class);
    if (!counts.multiplexed) continue;
    for (const answers::CountUnit& unit : counts.units) {
      append_estimates(table, fmt::format("{} {}", unit_name(event_class), unit.number), unit.rows);
    }
  }
  return table;
}

Table runs_table(const answers::CountProfile& profile) {
  Table table;
  table.columns = {{"unit"}, {"event name"}, {"event note"}, {"mean", Align::right}, {"deviation", Align::right}};
  if (!profile.runs.has_value()) return table;
  for (const EventClass event_class : kEventClasses) {
    for (const answers::CountUnit& unit : class_counts(profile, event_class).units) {
      append_runs(table, fmt::format("{} {}", unit_name(event_class), unit.number), unit.rows);
    }
  }
  return table;
}

std::string deviation_text(const answers::CountRow& row) {
  if (row.value == 0) return "± " + text::fixed(row.deviation, 1);
  return "± " + text::fixed(100 * row.deviation / static_cast<double>(row.value), 2) + " %";
}

}  // namespace wperf::report
