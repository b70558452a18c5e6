// SPDX-License-Identifier: BSD-3-Clause
// Contract 5.2-5.5. Every section starts with its blank line.
#include <fmt/format.h>

#include <iterator>

#include "report/count_report.h"
#include "report/count_tables.h"
#include "report/number_text.h"

namespace wperf::report {
namespace {

constexpr std::string_view kNoteLine =
    "note: 'e' - normal event, 'gN' - grouped event with group number N, metric name will be appended if 'e' or 'g' "
    "comes from it\n";

void append_section(std::string& out, std::string_view heading, const Table& table) {
  fmt::format_to(std::back_inserter(out), "\n{}\n", heading);
  append_table(out, table);
}

std::string_view multiplexed_text(const profile::ClassCounts& counts) {
  return counts.multiplexed ? "multiplexed" : "no multiplexing";
}

void append_overall(std::string& out, const profile::ClassCounts& counts) {
  if (counts.overall.empty()) return;
  append_section(out, "System-wide Overall:", counter_table(counts.overall, CounterRows::overall, counts.multiplexed));
}

void append_cores(std::string& out, const profile::CountProfile& profile) {
  const profile::ClassCounts& counts = class_counts(profile, EventClass::core);
  if (!counts.scheduled) return;
  for (const profile::CountUnit& unit : counts.units) {
    const std::string whose =
        profile.process.has_value() ? fmt::format("process {}", *profile.process) : fmt::format("core {}", unit.number);
    fmt::format_to(std::back_inserter(out),
                   "\nPerformance counter stats for {}, {}, kernel mode {}, on {} core implementation:\n{}\n", whose,
                   multiplexed_text(counts), profile.kernel ? "included" : "excluded", profile.vendor, kNoteLine);
    append_table(out, counter_table(unit.rows, CounterRows::core, counts.multiplexed));
  }
  append_overall(out, counts);
  if (!profile.metrics.empty()) append_section(out, "Telemetry Solution Metrics:", telemetry_table(profile.metrics));
}

void append_clusters(std::string& out, const profile::CountProfile& profile) {
  const profile::ClassCounts& counts = class_counts(profile, EventClass::dsu);
  if (!counts.scheduled) return;
  for (const profile::CountUnit& unit : counts.units) {
    fmt::format_to(std::back_inserter(out),
                   "\nPerformance counter stats for DSU cluster {}, {}, on {} core implementation:\n{}\n", unit.number,
                   multiplexed_text(counts), profile.vendor, kNoteLine);
    append_table(out, counter_table(unit.rows, CounterRows::cluster, counts.multiplexed));
  }
  append_overall(out, counts);
  if (profile.has_l3_metric) append_section(out, "L3 cache metrics:", l3_table(profile.l3));
}

void append_channels(std::string& out, const profile::CountProfile& profile) {
  if (!dmc_scheduled(profile)) return;
  out += '\n';
  append_table(out, dmc_table(profile));
  if (profile.has_ddr_metric) append_section(out, "ddr metrics:", ddr_table(profile.ddr));
}

void append_estimates(std::string& out, const profile::CountProfile& profile) {
  const Table table = estimate_table(profile);
  if (!table.rows.empty()) append_section(out, "Multiplexing estimates:", table);
}

}  // namespace

std::string count_text(const profile::CountProfile& profile, const CountTextOptions& options) {
  std::string out;
  append_cores(out, profile);
  append_clusters(out, profile);
  append_channels(out, profile);
  if (options.verbose) append_estimates(out, profile);
  if (options.elapsed) {
    fmt::format_to(std::back_inserter(out), "\n{:>20} seconds time elapsed\n", elapsed(profile.elapsed_seconds));
  }
  return out;
}

}  // namespace wperf::report
