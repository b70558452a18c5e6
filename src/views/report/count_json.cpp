// SPDX-License-Identifier: BSD-3-Clause
// Contract 5.6 and 6.4. Clients validate these documents with schemas that do not allow other keys in core, dsu, dmc
// and their counter rows. New keys are added only at the level of Time_elapsed, and in the rows of metrics.
#include <algorithm>
#include <string>

#include "ground/text/json_writer.h"
#include "views/report/count_derived.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"

namespace wperf::report {
namespace {

// In a timeline, counts have neither sums over cores nor memory channels (contract 6.4).
enum class Place { document, timeline };

// The keys of "object": {"rows": […]}; the object is empty if there are no rows.
struct ListNames {
  std::string_view object, rows;
};

// Writes an object with a list of rows, or an empty object.
void write_optional_rows(text::JsonWriter& json, const ListNames& names, bool present, const auto& rows,
                         const auto& declare) {
  json.begin_object(names.object);
  if (present) write_rows(json, names.rows, rows, declare);
  json.end_object();
}

void write_overall(text::JsonWriter& json, const answers::ClassCounts& counts, EventClass event_class, Place place) {
  write_optional_rows(json, {"overall", "Systemwide_Overall_Performance_Counters"},
                      place == Place::document && !counts.overall.empty(), counts.overall,
                      CounterColumns{event_class, counts.multiplexed, true});
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
    write_rows(json, "Performance_counter", unit.rows, CounterColumns{EventClass::core, counts.multiplexed});
    json.end_object();
  }
  json.end_array();
  write_overall(json, counts, EventClass::core, place);
  write_optional_rows(json, {"ts_metric", "Telemetry_Solution_Metrics"}, !profile.metrics.empty(), profile.metrics,
                      metric_columns);
  json.end_object();
}

void write_dsu(text::JsonWriter& json, const answers::CountProfile& profile, Place place) {
  const answers::ClassCounts& counts = class_counts(profile, EventClass::dsu);
  json.begin_object("dsu");
  for (const answers::CountUnit& unit : counts.units) {
    json.begin_object(std::to_string(unit.number));
    write_rows(json, "Performance_counter", unit.rows, CounterColumns{EventClass::dsu, counts.multiplexed});
    json.end_object();
  }
  write_optional_rows(json, {"l3metric", "L3_Cache_Metrics"}, profile.has_l3_metric, profile.l3, l3_columns);
  write_overall(json, counts, EventClass::dsu, place);
  json.end_object();
}

void write_dmc(text::JsonWriter& json, const answers::CountProfile& profile, Place place) {
  const bool in_document = place == Place::document;
  json.begin_object("dmc");
  write_optional_rows(json, {"pmu", "PMU_Performance_Counters"}, in_document && dmc_scheduled(profile),
                      channel_rows(profile), channel_columns);
  write_optional_rows(json, {"ddr", "DDR_Metrics"}, in_document && profile.has_ddr_metric, profile.ddr, ddr_columns);
  json.end_object();
}

void write_estimates(text::JsonWriter& json, const answers::CountProfile& profile) {
  const auto is_multiplexed = [](const answers::ClassCounts& counts) { return counts.multiplexed; };
  if (std::none_of(profile.classes.begin(), profile.classes.end(), is_multiplexed)) return;
  write_rows(json, "Multiplexing_estimates", estimated_rows(profile), estimate_columns);
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

// Writes the numbers of each run; all other numbers in the document are means of the runs.
void write_runs(text::JsonWriter& json, const answers::CountProfile& profile) {
  json.begin_object("Runs");
  json.integer("count", profile.runs->count);
  json.real("Time_elapsed_deviation", profile.runs->elapsed_seconds);
  write_rows(json, "counters", all_rows(profile), run_columns);
  json.end_object();
}

void write_threads(text::JsonWriter& json, const answers::CountProfile& profile) {
  json.begin_array("Threads");
  Columns columns(json);
  for (u32 run = 0; run < profile.threads.size(); ++run) {
    for (const answers::ThreadCountRow& row : profile.threads[run].rows)
      columns.add_row(row, ThreadColumns{profile.threads[run].events, run});
  }
  json.end_array();
}

// Writes facts that WindowsPerf does not have. They are at the top level, because clients of WindowsPerf allow more
// keys there.
void write_program(text::JsonWriter& json, const answers::CountProfile& profile) {
  if (profile.process.has_value()) {  // then "core" describes the program, and core_number is not a core
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
