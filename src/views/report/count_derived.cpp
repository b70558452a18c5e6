// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/count_derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "ground/text/number_text.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"

namespace wperf::report {
namespace {

using Rows = std::span<const answers::CountRow>;
using Names = std::initializer_list<std::string_view>;

constexpr double kNanosecondsPerSecond = 1e9;

bool is_one_of(const answers::CountRow& row, Names names) {
  return std::find(names.begin(), names.end(), row.name) != names.end();
}

// A row that was counted together with `beside`.
const answers::CountRow* find_row(Rows rows, const answers::CountRow& beside, Names names) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const answers::CountRow& row) {
    return row.run == beside.run && row.counted() && is_one_of(row, names);
  });
  return found == rows.end() ? nullptr : &*found;
}

double count_of(const answers::CountRow& row) {
  return row.exact_scaled() != 0 ? row.exact_scaled() : row.exact_value();
}

// Recognises names with and without a modifier ("task-clock:u").
bool is_clock(const answers::CountRow& row) {
  const std::string_view name = std::string_view(row.name).substr(0, row.name.find(':'));
  return name == "task-clock" || name == "cpu-clock";
}

// The row with the accesses for a row with misses: "l1-dcache-loads" for "l1-dcache-load-misses".
const answers::CountRow* accesses_of(const answers::CountRow& misses, Rows rows) {
  if (is_one_of(misses, {"branch-misses"})) return find_row(rows, misses, {"branches", "branch-instructions"});
  if (is_one_of(misses, {"branchmispredictions"})) return find_row(rows, misses, {"branchinstructions"});
  if (is_one_of(misses, {"cache-misses"})) return find_row(rows, misses, {"cache-references"});
  constexpr std::string_view kMisses = "-misses";
  if (!std::string_view(misses.name).ends_with(kMisses)) return nullptr;
  std::string accesses = misses.name.substr(0, misses.name.size() - kMisses.size());
  accesses += accesses.ends_with("prefetch") ? "es" : "s";
  return find_row(rows, misses, {accesses});
}

std::string_view share_unit(const answers::CountRow& misses) {
  if (is_one_of(misses, {"branch-misses", "branchmispredictions"})) return "% of branches";
  if (is_one_of(misses, {"cache-misses"})) return "% of cache-references";
  return "% of accesses";
}

bool has_cycles_of(const answers::CountProfile& profile, answers::CycleRow what) {
  const std::vector<answers::CountUnit>& cores = class_counts(profile, EventClass::core).units;
  return std::any_of(cores.begin(), cores.end(),
                     [&](const answers::CountUnit& core) { return core.cycle_row == what; });
}

template <typename Visit>
void for_each_loss(const answers::CountProfile& profile, Visit visit) {
  for (const EventClass event_class : kEventClasses) {
    for (const answers::CountUnit& unit : class_counts(profile, event_class).units) {
      if (unit.losses != 0) visit(event_class, unit);
    }
  }
}

constexpr std::string_view kGroupLine =
    "events with the same note gN were counted together; a metric's name follows its events\n";

bool has_groups(std::span<const answers::CountRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const answers::CountRow& row) { return row.note != "e"; });
}

Table kernel_table(std::span<const answers::CountRow> rows, bool multiplexed, const answers::CountProfile& profile) {
  std::vector<answers::CountRow> shown(rows.begin(), rows.end());
  std::erase_if(shown, [&](const answers::CountRow& row) { return repeats_cycles(row, rows); });
  return table_of(shown, [&](Columns& to, const answers::CountRow& row) {
    to.string({.text = "counter value", .align = Align::right}, count_or_mean(row.value, row.mean));
    if (profile.runs.has_value()) to.add({"deviation"}, row.deviation, deviation_text(row));
    to.string({"event name"}, row.name);
    if (has_groups(rows)) to.string({"event note"}, row.note);
    if (multiplexed) {
      to.string({.text = "ms counted", .align = Align::right}, fmt::format("{}/{}", row.slots, row.rounds));
      to.string({.text = "scaled value", .align = Align::right}, count_or_mean(row.scaled, row.scaled_mean));
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
  // In characters, because ± has two bytes.
  const usize width = 20 + (runs ? 1 : 0);
  fmt::format_to(std::back_inserter(out), "{}{} {}\n", std::string(width - std::min(width, text.size()), ' '), text,
                 what);
}

}  // namespace

std::optional<Derived> derive(const answers::CountRow& row, Rows rows, double elapsed_seconds) {
  if (!row.counted()) return {};
  if (row.run_seconds > 0) elapsed_seconds = row.run_seconds;
  if (is_clock(row)) {
    if (elapsed_seconds <= 0) return {};
    return Derived{count_of(row) / kNanosecondsPerSecond / elapsed_seconds, "CPUs used"};
  }
  const answers::CountRow* clock = find_row(rows, row, {"task-clock"});
  const double seconds = clock != nullptr ? count_of(*clock) / kNanosecondsPerSecond : elapsed_seconds;
  const Names cycle_names = {"cycles", "cpu-cycles", "cpu_cycles", "cycle", "totalcycles"};
  if (is_one_of(row, {"instructions", "inst_retired", "instructionretired"})) {
    const answers::CountRow* cycles = find_row(rows, row, cycle_names);
    if (cycles != nullptr && count_of(*cycles) > 0) return Derived{count_of(row) / count_of(*cycles), "per cycle"};
  }
  if (const answers::CountRow* accesses = accesses_of(row, rows); accesses != nullptr && count_of(*accesses) > 0) {
    return Derived{100 * count_of(row) / count_of(*accesses), share_unit(row)};
  }
  if (seconds <= 0) return {};
  if (clock != nullptr && is_one_of(row, cycle_names)) return Derived{count_of(row) / seconds / 1e9, "GHz"};
  return Derived{count_of(row) / seconds, "per second"};
}

std::string derived_text(const answers::CountRow& row, Rows rows, double elapsed_seconds) {
  std::string text;
  if (row.counted() && is_clock(row)) text = text::duration(count_of(row) / kNanosecondsPerSecond);
  const std::optional<Derived> derived = derive(row, rows, elapsed_seconds);
  if (!derived.has_value()) return text;
  if (!text.empty()) text += ", ";
  if (derived->unit == "per second") return text + text::scaled_number(derived->value) + "/s";
  const int decimals = derived->unit == "CPUs used" ? 3 : 2;
  return text.append(text::fixed(derived->value, decimals)).append(1, ' ').append(derived->unit);
}

bool repeats_cycles(const answers::CountRow& row, Rows rows) {
  return !row.code.has_value() && std::any_of(rows.begin(), rows.end(), [](const answers::CountRow& other) {
    return is_one_of(other, {"cycles", "cpu-cycles"});
  });
}

std::vector<std::string> count_notes(const answers::CountProfile& profile) {
  std::vector<std::string> notes;
  if (has_cycles_of(profile, answers::CycleRow::with_kernel)) {
    notes.emplace_back(
        "cycle includes the kernel, because all counters are used by events; count fewer events to exclude it");
  }
  if (has_cycles_of(profile, answers::CycleRow::uncounted)) {
    notes.emplace_back(
        "cycle is not counted, because all counters are used by events; count fewer events to include it");
  }
  for_each_loss(profile, [&](EventClass event_class, const answers::CountUnit& unit) {
    notes.push_back(fmt::format(
        "the counters of {} {} were reset by something else {}, so their counts of {} seconds are missing; keep the "
        "machine from sleeping and end other profilers",
        unit_name(event_class), unit.number, text::times(unit.losses), text::fixed(unit.lost_seconds, 3)));
  });
  return notes;
}

void append_notes(std::string& out, const answers::CountProfile& profile) {
  for (const std::string& note : count_notes(profile)) out += "\nnote: " + note + "\n";
}

std::string timeline_notes(const answers::TimelineProfile& timeline) {
  std::string out;
  if (timeline.counts.empty()) return out;
  answers::CountProfile all = timeline.counts.front();  // every count has the same units
  for (usize n = 1; n < timeline.counts.size(); ++n) {
    for (usize c = 0; c < all.classes.size(); ++c) {
      std::vector<answers::CountUnit>& units = all.classes[c].units;
      for (usize i = 0; i < units.size(); ++i) {
        const answers::CountUnit& unit = timeline.counts[n].classes[c].units[i];
        units[i].cycle_row = std::max(units[i].cycle_row, unit.cycle_row);
        units[i].losses += unit.losses;
        units[i].lost_seconds += unit.lost_seconds;
      }
    }
  }
  append_notes(out, all);
  return out;
}

void write_notes(text::JsonWriter& json, const answers::CountProfile& profile) {
  if (has_cycles_of(profile, answers::CycleRow::with_kernel) || has_cycles_of(profile, answers::CycleRow::uncounted)) {
    json.string("Cycles", has_cycles_of(profile, answers::CycleRow::uncounted) ? "not counted" : "with kernel");
  }
  bool lost = false;
  for_each_loss(profile, [&](EventClass event_class, const answers::CountUnit& unit) {
    if (!lost) {
      json.begin_array("Lost_counts");
    }
    lost = true;
    json.begin_object();
    json.string("class", class_name(event_class));
    json.integer("unit", unit.number);
    json.integer("times", unit.losses);
    json.real("seconds", unit.lost_seconds);
    json.end_object();
  });
  if (lost) json.end_array();
  if (profile.remarks.empty()) return;
  json.begin_array("Notes");
  for (const std::string& remark : profile.remarks) json.string(remark);
  json.end_array();
}

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
