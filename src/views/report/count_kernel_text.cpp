// SPDX-License-Identifier: BSD-3-Clause
// Every section starts with its blank line.
#include "views/report/count_kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ground/text/number_text.h"
#include "views/report/count_derived.h"
#include "views/report/count_tables.h"

namespace wperf::report {
namespace {

constexpr std::string_view kGroupLine =
    "events with the same note gN were counted together; a metric's name follows its events\n";

bool has_groups(std::span<const answers::CountRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const answers::CountRow& row) { return row.note != "e"; });
}

Table kernel_table(std::span<const answers::CountRow> rows, bool multiplexed, const answers::CountProfile& profile) {
  std::vector<answers::CountRow> shown(rows.begin(), rows.end());
  std::erase_if(shown, [&](const answers::CountRow& row) { return repeats_cycles(row, rows); });
  return table_of(shown, [&](Columns& to, const answers::CountRow& row) {
    to.count({"counter value"}, row.value);
    if (profile.runs.has_value()) to.add({"deviation"}, row.deviation, deviation_text(row));
    to.string({"event name"}, row.name);
    if (has_groups(rows)) to.string({"event note"}, row.note);
    if (multiplexed) {
      to.string({.text = "ms counted", .align = Align::right}, fmt::format("{}/{}", row.slots, row.rounds));
      to.count({"scaled value"}, row.scaled);
    }
    to.string({"derived"}, derived_text(row, rows, profile.elapsed_seconds));
  });
}

std::string measured_name(const answers::CountProfile& profile, const answers::CountUnit& unit) {
  if (profile.runs.has_value()) return fmt::format("{}, mean of {} runs", profile.program, profile.runs->count);
  if (!profile.process.has_value()) return fmt::format("core {}", unit.number);
  if (profile.program.empty()) return fmt::format("process {}", *profile.process);
  return fmt::format("{} (pid {})", profile.program, *profile.process);
}

void append_unit(std::string& out, std::string_view heading, std::span<const answers::CountRow> rows,
                 const answers::CountProfile& profile) {
  const bool multiplexed = class_counts(profile, EventClass::core).multiplexed;
  fmt::format_to(std::back_inserter(out), "\n{}\n", heading);
  if (has_groups(rows)) out += kGroupLine;
  out += '\n';
  append_table(out, kernel_table(rows, multiplexed, profile));
  append_not_counted(out, rows);
}

void append_time(std::string& out, std::optional<double> seconds, double deviation, bool runs, std::string_view what) {
  if (!seconds.has_value()) return;
  std::string text = text::duration(*seconds);
  if (runs) text += " ± " + text::duration(deviation);
  // In characters, not bytes: the sign ± has two bytes.
  const usize width = 20 + (runs ? 1 : 0);
  fmt::format_to(std::back_inserter(out), "{}{} {}\n", std::string(width - std::min(width, text.size()), ' '), text,
                 what);
}

}  // namespace

void append_kernel_counts(std::string& out, const answers::CountProfile& profile) {
  const answers::ClassCounts& counts = class_counts(profile, EventClass::core);
  for (const answers::CountUnit& unit : counts.units) {
    append_unit(out,
                fmt::format("Performance counter stats for {}{}, kernel mode {}:", measured_name(profile, unit),
                            counts.multiplexed ? ", multiplexed" : "", profile.kernel ? "included" : "excluded"),
                unit.rows, profile);
  }
  if (!counts.overall.empty()) append_unit(out, "All these cores together:", counts.overall, profile);
}

void append_kernel_threads(std::string& out, const answers::CountProfile& profile) {
  constexpr usize kMostRows = 30;
  for (usize run = 0; run < profile.threads.size(); ++run) {
    const answers::ThreadTable& threads = profile.threads[run];
    out += "\nThreads";
    if (profile.threads.size() > 1) fmt::format_to(std::back_inserter(out), " of run {}", run + 1);
    out += ", by counts between the cores' context switches:\n\n";
    const usize shown = std::min(threads.rows.size(), kMostRows);
    append_table(out, table_of(std::span(threads.rows).first(shown), ThreadColumns{threads.events, 0}));
    if (shown != threads.rows.size()) {
      fmt::format_to(std::back_inserter(out), "and {} more threads; --json has all of them\n",
                     threads.rows.size() - shown);
    }
  }
}

void append_kernel_times(std::string& out, const answers::CountProfile& profile) {
  const bool runs = profile.runs.has_value();
  const answers::Runs deviations = profile.runs.value_or(answers::Runs{});
  out += '\n';
  append_time(out, profile.elapsed_seconds, deviations.elapsed_seconds, runs, "elapsed");
  append_time(out, profile.user_seconds, deviations.user_seconds, runs, "user");
  append_time(out, profile.system_seconds, deviations.system_seconds, runs, "system");
  for (const std::string& remark : profile.remarks) fmt::format_to(std::back_inserter(out), "\nnote: {}\n", remark);
}

}  // namespace wperf::report
