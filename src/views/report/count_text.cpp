// SPDX-License-Identifier: BSD-3-Clause
// Contract 5.2-5.5. Every section begins with a blank line.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "ground/text/number_text.h"
#include "ground/text/parts.h"
#include "views/report/count_derived.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"

namespace wperf::report {
namespace {

constexpr std::string_view kNoteLine =
    "note: 'e' - normal event, 'gN' - grouped event with group number N, metric name will be appended if 'e' or 'g' "
    "comes from it\n";

void append_section(std::string& out, std::string_view heading, const Table& table) {
  fmt::format_to(std::back_inserter(out), "\n{}\n", heading);
  append_table(out, table);
}

std::string_view multiplexed_text(const answers::ClassCounts& counts) {
  return counts.multiplexed ? "multiplexed" : "no multiplexing";
}

// The requested item to which a row belongs. If one event of a metric is missing, the whole metric has no value.
std::string_view asked_name(const answers::CountRow& row) {
  const usize comma = row.note.find(',');
  return comma == std::string::npos ? std::string_view(row.name) : std::string_view(row.note).substr(comma + 1);
}

void append_counters(std::string& out, std::span<const answers::CountRow> rows, const CounterColumns& columns) {
  append_table(out, table_of(rows, columns));
  append_not_counted(out, rows);
}

void append_overall(std::string& out, const answers::ClassCounts& counts, EventClass event_class) {
  if (counts.overall.empty()) return;
  out += "\nSystem-wide Overall:\n";
  append_counters(out, counts.overall, {event_class, counts.multiplexed, true});
}

void append_metrics(std::string& out, const answers::CountProfile& profile) {
  if (profile.metrics.empty()) return;
  append_section(out, "Telemetry Solution Metrics:", table_of(profile.metrics, metric_columns));
}

void append_cores(std::string& out, const answers::CountProfile& profile) {
  const answers::ClassCounts& counts = class_counts(profile, EventClass::core);
  if (!counts.scheduled) return;
  for (const answers::CountUnit& unit : counts.units) {
    fmt::format_to(std::back_inserter(out),
                   "\nPerformance counter stats for core {}, {}, kernel mode {}, on {} core implementation:\n{}\n",
                   unit.number, multiplexed_text(counts), profile.kernel ? "included" : "excluded", profile.vendor,
                   kNoteLine);
    append_counters(out, unit.rows, {EventClass::core, counts.multiplexed});
  }
  append_overall(out, counts, EventClass::core);
  append_metrics(out, profile);
}

void append_clusters(std::string& out, const answers::CountProfile& profile) {
  const answers::ClassCounts& counts = class_counts(profile, EventClass::dsu);
  if (!counts.scheduled) return;
  for (const answers::CountUnit& unit : counts.units) {
    fmt::format_to(std::back_inserter(out),
                   "\nPerformance counter stats for DSU cluster {}, {}, on {} core implementation:\n{}\n", unit.number,
                   multiplexed_text(counts), profile.vendor, kNoteLine);
    append_counters(out, unit.rows, {EventClass::dsu, counts.multiplexed});
  }
  append_overall(out, counts, EventClass::dsu);
  if (profile.has_l3_metric) append_section(out, "L3 cache metrics:", table_of(profile.l3, l3_columns));
}

void append_channels(std::string& out, const answers::CountProfile& profile) {
  if (!dmc_scheduled(profile)) return;
  out += '\n';
  append_table(out, table_of(channel_rows(profile), channel_columns));
  for (const EventClass event_class : {EventClass::dmc_clk, EventClass::dmc_clkdiv2}) {
    append_not_counted(out, class_counts(profile, event_class).overall);
  }
  if (profile.has_ddr_metric) append_section(out, "ddr metrics:", table_of(profile.ddr, ddr_columns));
}

void append_estimates(std::string& out, const answers::CountProfile& profile) {
  const std::vector<UnitRow> rows = estimated_rows(profile);
  if (!rows.empty()) append_section(out, "Multiplexing estimates:", table_of(rows, estimate_columns));
}

void append_deviations(std::string& out, const answers::CountProfile& profile) {
  if (!profile.runs.has_value()) return;
  append_section(out, fmt::format("Mean of {} runs, and standard deviation:", profile.runs->count),
                 table_of(all_rows(profile), run_columns));
}

}  // namespace

void append_not_counted(std::string& out, std::span<const answers::CountRow> rows) {
  std::vector<std::string_view> names;
  for (const answers::CountRow& row : rows) {
    if (row.counted()) continue;
    const std::string_view name = asked_name(row);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return;
  fmt::format_to(std::back_inserter(out),
                 "\nNot counted, because they were never scheduled on a counter: {}.\nCount for longer, or count fewer "
                 "at a time.\n",
                 text::joined(names, ", "));
}

std::string count_text(const answers::CountProfile& profile, const CountTextOptions& options) {
  std::string out;
  if (profile.by_kernel) {
    append_kernel_counts(out, profile);
    append_kernel_threads(out, profile);
    append_metrics(out, profile);
    append_notes(out, profile);
    if (options.verbose) append_estimates(out, profile);
    if (options.elapsed) append_kernel_times(out, profile);
    return out;
  }
  append_cores(out, profile);
  append_clusters(out, profile);
  append_channels(out, profile);
  append_notes(out, profile);
  if (options.verbose) append_estimates(out, profile);
  append_deviations(out, profile);
  if (options.elapsed) {
    fmt::format_to(std::back_inserter(out), "\n{:>20} seconds time elapsed\n", text::elapsed(profile.elapsed_seconds));
  }
  return out;
}

}  // namespace wperf::report
