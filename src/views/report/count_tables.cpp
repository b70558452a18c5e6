// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/count_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ground/text/number_text.h"
#include "ground/text/parts.h"

namespace wperf::report {
namespace {

std::string index_text(const answers::CountRow& row, int digits) {
  return row.code.has_value() ? text::hex(*row.code, digits) : "fixed";
}

std::string number_or_all(const std::optional<u32>& number) {
  return number.has_value() ? std::to_string(*number) : "all";
}

// Readers use signed 64-bit integers, so larger numbers are written as the maximum of that type.
void clamped_count(Columns& to, const Title& title, u64 value) {
  to.add(title, std::min(value, ~u64{0} >> 1), text::with_commas(value));
}

// Adds a number that is also text in JSON.
void amount(Columns& to, std::string_view title, const std::string& value, bool counted = true) {
  to.add({.text = title, .key = title, .align = Align::right}, value, counted ? value : "-");
}

void event_cells(Columns& to, const UnitRow& row) {
  to.member("class", class_name(row.event_class));
  to.add({.text = "unit", .key = "unit", .align = Align::left}, row.unit,
         fmt::format("{} {}", unit_name(row.event_class), row.unit));
  to.string({"event name", "event_name"}, row.row.name);
  to.string({"event note", "event_note"}, row.row.note);
}

}  // namespace

const answers::ClassCounts& class_counts(const answers::CountProfile& profile, EventClass event_class) {
  return profile.classes[index_of(event_class)];
}

bool dmc_scheduled(const answers::CountProfile& profile) {
  return class_counts(profile, EventClass::dmc_clk).scheduled ||
         class_counts(profile, EventClass::dmc_clkdiv2).scheduled;
}

std::string_view unit_name(EventClass event_class) {
  static constexpr std::string_view kNames[kEventClassCount] = {"core", "dsu", "dmc", "dmc"};
  return kNames[index_of(event_class)];
}

void CounterColumns::operator()(Columns& to, const answers::CountRow& row) const {
  clamped_count(to, {"counter value", "counter_value"}, row.value);
  to.string({"event name", "event_name"}, row.name);
  to.string({"event idx", "event_idx"}, index_text(row, event_class == EventClass::core && !overall ? 2 : 4));
  to.string({"event note", "event_note"}, row.note);
  if (multiplexed && !overall) {
    const std::string slots = fmt::format("{}/{}", row.slots, row.rounds);
    to.string({.text = "multiplexed", .key = "multiplexed", .align = Align::right}, slots);
  }
  if (multiplexed) clamped_count(to, {"scaled value", "scaled_value"}, row.scaled);
}

void metric_columns(Columns& to, const answers::MetricRow& row) {
  amount(to, "core", std::to_string(row.core));
  to.string({"product_name", "product_name"}, row.product);
  to.string({"metric_name", "metric_name"}, row.metric);
  amount(to, "value", text::fixed(row.value, 3), row.counted);
  to.string({"unit", "unit"}, row.unit);
  if (!row.counted) to.member("not_counted", true);
}

void l3_columns(Columns& to, const answers::L3Row& row) {
  amount(to, "cluster", number_or_all(row.cluster));
  amount(to, "cores", row.cluster.has_value() ? text::joined(row.cores, ", ") : "all");
  amount(to, "read_bandwidth", text::fixed(row.bandwidth_mb, 2) + "MB", row.counted);
  amount(to, "miss_rate", text::fixed(row.miss_percent, 2) + "%", row.counted);
}

void ddr_columns(Columns& to, const answers::DdrRow& row) {
  amount(to, "channel", number_or_all(row.channel));
  amount(to, "rw_bandwidth", text::fixed(row.bandwidth_mb, 2) + "MB", row.counted);
}

std::vector<ChannelRow> channel_rows(const answers::CountProfile& profile) {
  std::map<u32, std::vector<ChannelRow>> channels;
  std::vector<ChannelRow> overall, all;
  for (const EventClass event_class : {EventClass::dmc_clk, EventClass::dmc_clkdiv2}) {
    const answers::ClassCounts& counts = class_counts(profile, event_class);
    for (const answers::CountUnit& unit : counts.units) {
      for (const answers::CountRow& row : unit.rows)
        channels[unit.number].push_back({fmt::format("dmc {}", unit.number), row});
    }
    for (const answers::CountRow& row : counts.overall) overall.push_back({"overall", row});
  }
  for (auto& [number, rows] : channels) all.insert(all.end(), rows.begin(), rows.end());
  all.insert(all.end(), overall.begin(), overall.end());
  return all;
}

void channel_columns(Columns& to, const ChannelRow& row) {
  to.string({"pmu id", "pmu_id"}, row.pmu);
  CounterColumns{.event_class = EventClass::dmc_clk, .multiplexed = false}(to, row.row);
}

std::vector<UnitRow> all_rows(const answers::CountProfile& profile) {
  std::vector<UnitRow> rows;
  for (const EventClass event_class : kEventClasses) {
    for (const answers::CountUnit& unit : class_counts(profile, event_class).units) {
      for (const answers::CountRow& row : unit.rows) rows.push_back({event_class, unit.number, row});
    }
  }
  return rows;
}

std::vector<UnitRow> estimated_rows(const answers::CountProfile& profile) {
  std::vector<UnitRow> rows = all_rows(profile);
  std::erase_if(rows, [&](const UnitRow& row) {
    const bool is_fixed = !row.row.code.has_value();  // this counter is always on
    return is_fixed || !class_counts(profile, row.event_class).multiplexed;
  });
  return rows;
}

void estimate_columns(Columns& to, const UnitRow& unit_row) {
  const answers::CountRow& row = unit_row.row;
  event_cells(to, unit_row);
  to.add({"measured (%)", "fraction"}, row.fraction, text::fixed(row.fraction * 100, 2));
  if (!row.counted()) to.member("not_counted", true);
  to.count({"scaled value"}, row.scaled);
  std::string interval = row.counted() ? "unknown" : "not counted";
  if (row.has_interval) {
    const u64 low = text::whole_count(row.low), high = text::whole_count(row.high);
    interval = fmt::format("{} .. {}", text::with_commas(low), text::with_commas(high));
    to.member("low", low);
    to.member("high", high);
  }
  to.string({.text = "95 % interval", .align = Align::right}, interval);
}

void run_columns(Columns& to, const UnitRow& row) {
  event_cells(to, row);
  to.add({"mean", "mean"}, Shortest{row.row.exact_value()}, count_or_mean(row.row.value, row.row.mean));
  to.add({"deviation", "deviation"}, row.row.deviation, deviation_text(row.row));
}

void ThreadColumns::operator()(Columns& to, const answers::ThreadCountRow& row) const {
  to.member("run", run + 1);
  to.number({"pid", "pid", 2}, row.process);
  to.number({"tid", "tid", 2}, row.thread);
  to.word({"process", "process", 1}, row.name);
  to.add({"running", "running_seconds", 2}, row.running_seconds, text::duration(row.running_seconds));
  to.count({"switches", "switches", 2}, row.switches);
  if (to.json() != nullptr) to.json()->begin_object("counters");
  for (usize i = 0; i < events.size(); ++i) {
    const bool is_known = i < row.values.size();
    const u64 value = is_known ? row.values[i] : 0;
    to.add({events[i], is_known ? std::string_view(events[i]) : "", 2}, value,
           is_known ? text::with_commas(value) : std::string());
  }
  if (to.json() != nullptr) to.json()->end_object();
}

std::string count_or_mean(u64 rounded, std::optional<double> mean) {
  constexpr double kManyDigits = 100;
  const bool has_part = mean.has_value() && *mean < kManyDigits && *mean != std::round(*mean);
  return has_part ? text::fixed(*mean, 2) : text::with_commas(rounded);
}

std::string deviation_text(const answers::CountRow& row) {
  if (row.exact_value() == 0) return "± " + text::fixed(row.deviation, 1);
  return "± " + text::fixed(100 * row.deviation / row.exact_value(), 2) + " %";
}

}  // namespace wperf::report
