// SPDX-License-Identifier: BSD-3-Clause
// Contract 5.6 and 6.4. Clients validate these documents against schemas that allow no other key in core, dsu, dmc and
// their rows of counters. New keys go to the level of Time_elapsed, or into the rows of metrics, which are free.
#include <algorithm>
#include <span>
#include <string>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/count_derived.h"
#include "views/report/count_notes.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"

namespace wperf::report {
namespace {

// A timeline's items have neither sums over cores nor memory channels (contract 6.4).
enum class Place { document, timeline };

// { "name": [rows] }, or {} without rows.
void write_optional_rows(text::JsonWriter& json, std::string_view key, std::string_view name, bool present,
                         auto make_table) {
  json.begin_object(key);
  if (present) {
    json.key(name);
    write_rows(json, make_table());
  }
  json.end_object();
}

void write_overall(text::JsonWriter& json, const answers::ClassCounts& counts, Place place) {
  write_optional_rows(json, "overall", "Systemwide_Overall_Performance_Counters",
                      place == Place::document && !counts.overall.empty(),
                      [&] { return counter_table(counts.overall, CounterRows::overall, counts.multiplexed); });
}

// All values are strings except the flag, which is only written if it is true.
void write_metrics(text::JsonWriter& json, std::span<const answers::MetricRow> metrics) {
  json.begin_object("ts_metric");
  if (!metrics.empty()) {
    json.begin_array("Telemetry_Solution_Metrics");
  }
  for (const answers::MetricRow& row : metrics) {
    json.begin_object();
    json.string("core", std::to_string(row.core));
    json.string("product_name", row.product);
    json.string("metric_name", row.metric);
    json.string("value", text::fixed(row.value, 3));
    json.string("unit", row.unit);
    if (!row.counted) {
      json.boolean("not_counted", true);
    }
    json.end_object();
  }
  if (!metrics.empty()) json.end_array();
  json.end_object();
}

void write_core(text::JsonWriter& json, const answers::CountProfile& profile, Place place) {
  const answers::ClassCounts& counts = class_counts(profile, EventClass::core);
  json.begin_object("core");
  json.boolean("Multiplexing", counts.multiplexed);
  json.boolean("Kernel_mode", profile.kernel);
  json.begin_array("cores");
  for (const answers::CountUnit& unit : counts.units) {
    json.begin_object();
    json.integer("core_number", unit.number);
    json.key("Performance_counter");
    write_rows(json, counter_table(unit.rows, CounterRows::core, counts.multiplexed));
    json.end_object();
  }
  json.end_array();
  write_overall(json, counts, place);
  write_metrics(json, profile.metrics);
  json.end_object();
}

void write_dsu(text::JsonWriter& json, const answers::CountProfile& profile, Place place) {
  const answers::ClassCounts& counts = class_counts(profile, EventClass::dsu);
  json.begin_object("dsu");
  for (const answers::CountUnit& unit : counts.units) {
    json.begin_object(std::to_string(unit.number));
    json.key("Performance_counter");
    write_rows(json, counter_table(unit.rows, CounterRows::cluster, counts.multiplexed));
    json.end_object();
  }
  write_optional_rows(json, "l3metric", "L3_Cache_Metrics", profile.has_l3_metric,
                      [&] { return l3_table(profile.l3, Face::json); });
  write_overall(json, counts, place);
  json.end_object();
}

void write_dmc(text::JsonWriter& json, const answers::CountProfile& profile, Place place) {
  const bool in_document = place == Place::document;
  json.begin_object("dmc");
  write_optional_rows(json, "pmu", "PMU_Performance_Counters", in_document && dmc_scheduled(profile),
                      [&] { return dmc_table(profile); });
  write_optional_rows(json, "ddr", "DDR_Metrics", in_document && profile.has_ddr_metric,
                      [&] { return ddr_table(profile.ddr, Face::json); });
  json.end_object();
}

void write_estimate(text::JsonWriter& json, EventClass event_class, u32 unit, const answers::CountRow& row) {
  json.begin_object();
  json.string("class", class_name(event_class));
  json.integer("unit", unit);
  json.string("event_name", row.name);
  json.string("event_note", row.note);
  json.real("fraction", row.fraction);
  if (!row.counted()) {
    json.boolean("not_counted", true);
  }
  if (row.has_interval) {
    json.integer("low", text::whole_count(row.low));
    json.integer("high", text::whole_count(row.high));
  }
  json.end_object();
}

void write_estimates(text::JsonWriter& json, const answers::CountProfile& profile) {
  if (std::none_of(profile.classes.begin(), profile.classes.end(),
                   [](const answers::ClassCounts& counts) { return counts.multiplexed; })) {
    return;
  }
  json.begin_array("Multiplexing_estimates");
  for (const EventClass event_class : kEventClasses) {
    const answers::ClassCounts& counts = class_counts(profile, event_class);
    if (!counts.multiplexed) continue;
    for (const answers::CountUnit& unit : counts.units) {
      for (const answers::CountRow& row : unit.rows) {
        if (row.code.has_value()) write_estimate(json, event_class, unit.number, row);
      }
    }
  }
  json.end_array();
}

void write_derived(text::JsonWriter& json, const answers::CountProfile& profile) {
  json.begin_array("Derived");
  for (const answers::CountUnit& unit : class_counts(profile, EventClass::core).units) {
    for (const answers::CountRow& row : unit.rows) {
      const std::optional<Derived> derived = derive(row, unit.rows, profile.elapsed_seconds);
      if (!derived.has_value()) continue;
      json.begin_object();
      json.integer("core_number", unit.number);
      json.string("event_name", row.name);
      json.real("value", derived->value);
      json.string("unit", derived->unit);
      json.end_object();
    }
  }
  json.end_array();
}

// All other numbers of the document are means of the runs.
void write_runs(text::JsonWriter& json, const answers::CountProfile& profile) {
  json.begin_object("Runs");
  json.integer("count", profile.runs->count);
  json.real("Time_elapsed_deviation", profile.runs->elapsed_seconds);
  json.begin_array("counters");
  for (const EventClass event_class : kEventClasses) {
    for (const answers::CountUnit& unit : class_counts(profile, event_class).units) {
      for (const answers::CountRow& row : unit.rows) {
        json.begin_object();
        json.string("class", class_name(event_class));
        json.integer("unit", unit.number);
        json.string("event_name", row.name);
        json.string("event_note", row.note);
        json.integer("mean", row.value);
        json.real("deviation", row.deviation);
        json.end_object();
      }
    }
  }
  json.end_array();
  json.end_object();
}

void write_threads(text::JsonWriter& json, const answers::CountProfile& profile) {
  json.begin_array("Threads");
  for (usize run = 0; run < profile.threads.size(); ++run) {
    const answers::ThreadTable& threads = profile.threads[run];
    for (const answers::ThreadCountRow& row : threads.rows) {
      json.begin_object();
      json.integer("run", run + 1);
      json.integer("pid", row.process);
      json.integer("tid", row.thread);
      json.string("process", row.name);
      json.real("running_seconds", row.running_seconds);
      json.integer("switches", row.switches);
      json.begin_object("counters");
      for (usize i = 0; i < std::min(threads.events.size(), row.values.size()); ++i) {
        json.integer(threads.events[i], row.values[i]);
      }
      json.end_object();
      json.end_object();
    }
  }
  json.end_array();
}

// Facts that WindowsPerf does not have: at the top level, where its clients allow more keys.
void write_program(text::JsonWriter& json, const answers::CountProfile& profile) {
  if (profile.process.has_value()) {  // then "core" is about it, and core_number is not a core
    json.integer("Process", *profile.process);
  }
  if (!profile.program.empty()) {
    json.string("Program", profile.program);
  }
  if (profile.user_seconds.has_value()) {
    json.real("User_time", *profile.user_seconds);
  }
  if (profile.system_seconds.has_value()) {
    json.real("System_time", *profile.system_seconds);
  }
  if (profile.by_kernel) write_derived(json, profile);
  if (!profile.threads.empty()) write_threads(json, profile);
  if (profile.runs.has_value()) write_runs(json, profile);
}

void write_count(text::JsonWriter& json, const answers::CountProfile& profile, Place place) {
  json.begin_object();
  write_core(json, profile, place);
  write_dsu(json, profile, place);
  write_dmc(json, profile, place);
  write_estimates(json, profile);
  write_notes(json, profile);
  write_program(json, profile);
  json.real("Time_elapsed", profile.elapsed_seconds);
  json.end_object();
}

}  // namespace

std::string count_json(const answers::CountProfile& profile) {
  std::string out;
  text::JsonWriter json(out);
  write_count(json, profile);
  return out;
}

void write_count(text::JsonWriter& json, const answers::CountProfile& profile) {
  write_count(json, profile, Place::document);
}

std::string timeline_json(const answers::TimelineProfile& timeline) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.fixed("count_duration", timeline.duration_seconds, 2);
  json.fixed("count_interval", timeline.interval_seconds, 2);
  json.integer("count_timeline", timeline.requested_counts);
  json.begin_array("timeline");
  for (const answers::CountProfile& count : timeline.counts) write_count(json, count, Place::timeline);
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace wperf::report
