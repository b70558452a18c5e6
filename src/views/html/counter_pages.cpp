// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/counter_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/topdown/method.h"
#include "ground/text/number_text.h"
#include "model/stacks/moments.h"
#include "model/stacks/time_slices.h"
#include "views/html/html_report.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"
#include "views/report/escaping.h"
#include "views/report/spe_report.h"
#include "views/report/spe_tables.h"
#include "views/report/table.h"

namespace wperf::html {
namespace {

using answers::CountProfile;
using answers::CountRow;
using answers::CountUnit;
using answers::TimelineProfile;

constexpr u64 kSliceNs = 20'000'000;
constexpr usize kMostCells = 200'000;  // in all tables together, because browsers cannot show more

// The position of a row of a unit; all counts have the same rows.
struct RowPlace {
  EventClass event_class = EventClass::core;
  usize unit = 0, row = 0;

  const CountUnit& unit_of(const CountProfile& count) const {
    return report::class_counts(count, event_class).units[unit];
  }
  const CountRow& row_of(const CountProfile& count) const { return unit_of(count).rows[row]; }
  // Did the row have a counter, and was the event ever scheduled?
  bool is_counted(const CountProfile& count) const {
    const bool is_cycles = event_class == EventClass::core && row == 0;
    return row_of(count).counted() && !(is_cycles && unit_of(count).cycle_row == answers::CycleRow::uncounted);
  }
};

template <class Visit>
void for_each_unit(const CountProfile& first, Visit visit) {
  for (const EventClass event_class : kEventClasses) {
    const usize units = report::class_counts(first, event_class).units.size();
    for (usize unit = 0; unit < units; ++unit) visit(RowPlace{event_class, unit, 0});
  }
}

std::string title_of(const CountProfile& first, const RowPlace& place) {
  if (first.process.has_value()) return first.program.empty() ? "the program" : first.program;
  return fmt::format("{} {}", report::unit_name(place.event_class), place.unit_of(first).number);
}

stacks::CounterTrack track_of(const TimelineProfile& timeline, const RowPlace& place) {
  const CountProfile& first = timeline.counts.front();
  stacks::CounterTrack track{.name = place.row_of(first).name, .unit = {}, .points = {}};
  if (place.event_class == EventClass::core) {
    if (!first.process.has_value()) track.core = place.unit_of(first).number;
  } else {
    track.name += ", " + title_of(first, place);
  }
  track.points.push_back({timeline.spans.front().begin_ns, stacks::kNotCounted});
  for (usize i = 0; i < timeline.counts.size(); ++i) {
    const answers::CountSpan& span = timeline.spans[i];
    if (i != 0) track.points.push_back({span.begin_ns, stacks::kNotCounted});
    const CountProfile& count = timeline.counts[i];
    track.points.push_back({span.end_ns, place.is_counted(count) ? place.row_of(count).scaled : stacks::kNotCounted});
  }
  return track;
}

stacks::Moments count_moments(const TimelineProfile& timeline) {
  stacks::Moments moments;
  if (timeline.counts.empty()) return moments;
  const CountProfile& first = timeline.counts.front();
  moments.end_ns = timeline.spans.back().end_ns;
  for_each_unit(first, [&](RowPlace place) {
    for (; place.row < place.unit_of(first).rows.size(); ++place.row)
      moments.counters.push_back(track_of(timeline, place));
  });
  return moments;
}

std::string seconds_text(u64 ns) {
  return fmt::format("{:.3f}", static_cast<double>(ns) / 1e9);
}

usize shown_counts(const TimelineProfile& timeline) {
  usize columns = 0;
  for_each_unit(timeline.counts.front(),
                [&](const RowPlace& place) { columns += 2 + 2 * place.unit_of(timeline.counts.front()).rows.size(); });
  return std::min(timeline.counts.size(), std::max<usize>(kMostCells / std::max<usize>(columns, 1), 1));
}

report::Table table_from(const TimelineProfile& timeline, usize rows) {
  report::Table table;
  table.columns = {{.title = "begins (s)"}, {.title = "for (s)"}};
  for (usize i = 0; i < rows; ++i) {
    const answers::CountSpan& span = timeline.spans[i];
    table.rows.push_back({seconds_text(span.begin_ns), seconds_text(span.end_ns - span.begin_ns)});
  }
  return table;
}

void append_unit_counts(std::string& out, const TimelineProfile& timeline, RowPlace place, usize rows) {
  const CountProfile& first = timeline.counts.front();
  const bool scaled = report::class_counts(first, place.event_class).multiplexed;
  report::Table table = table_from(timeline, rows);
  for (; place.row < place.unit_of(first).rows.size(); ++place.row) {
    const std::string& name = place.row_of(first).name;
    table.columns.push_back({.title = name});
    if (scaled) table.columns.push_back({.title = name + ", scaled"});
    for (usize i = 0; i < rows; ++i) {
      const CountProfile& count = timeline.counts[i];
      const CountRow& row = place.row_of(count);
      const bool known = place.is_counted(count);
      table.rows[i].push_back(known ? text::with_commas(row.value) : "-");
      if (scaled) table.rows[i].push_back(known ? text::with_commas(row.scaled) : "-");
    }
  }
  append_table(out, "Counted by " + title_of(first, place), table);
}

void append_core_metrics(std::string& out, const TimelineProfile& timeline, u32 core, usize rows) {
  const CountProfile& first = timeline.counts.front();
  report::Table table = table_from(timeline, rows);
  for (usize metric = 0; metric < first.metrics.size(); ++metric) {
    if (first.metrics[metric].core != core) continue;
    table.columns.push_back({.title = first.metrics[metric].metric + " (" + first.metrics[metric].unit + ")"});
    for (usize i = 0; i < rows; ++i) {
      const answers::MetricRow& row = timeline.counts[i].metrics[metric];
      table.rows[i].push_back(row.counted ? text::fixed(row.value, 3) : "-");
    }
  }
  append_table(out, fmt::format("Metrics of core {}", core), table);
}

// The subject of the page: the program, or the part of the machine that was counted.
std::string title_of_page(const TimelineProfile& timeline, const stacks::RecordingAbout& about) {
  std::string of = about.image;
  if (of.empty() && !timeline.counts.empty()) {
    const CountProfile& first = timeline.counts.front();
    if (first.process.has_value()) {
      of = first.program.empty() ? fmt::format("process {}", *first.process) : first.program;
    } else if (first.core_count != 0) {
      of = fmt::format("{} {}", text::with_commas(first.core_count), first.core_count == 1 ? "core" : "cores");
    }
  }
  return of.empty() ? "Counts over time" : of + ": counts over time";
}

void append_count_facts(std::string& out, const TimelineProfile& timeline, const stacks::RecordingAbout& about) {
  out += "<h2>The counts</h2>\n<table><tbody>\n";
  append_about(out, about, "Counted by");
  const auto row = [&out](std::string_view name, const std::string& value) { append_fact(out, name, value); };
  row("Counts", text::with_commas(timeline.counts.size()));
  row("Length of one", text::duration(timeline.duration_seconds));
  row("Pause between two", text::duration(timeline.interval_seconds));
  if (!timeline.counts.empty()) row("Vendor", timeline.counts.front().vendor);
  out += "</tbody></table>\n";
}

void append_count_notes(std::string& out, const TimelineProfile& timeline) {
  std::set<std::string> remarks;
  for (const CountProfile& count : timeline.counts) remarks.insert(count.remarks.begin(), count.remarks.end());
  std::string notes = report::timeline_notes(timeline);
  for (const std::string& remark : remarks) notes += "note: " + remark + '\n';
  std::string lines;
  for (usize at = 0, end = 0; at < notes.size(); at = end + 1) {
    constexpr std::string_view kNote = "note: ";
    end = std::min(notes.find('\n', at), notes.size());
    std::string_view line = std::string_view(notes).substr(at, end - at);
    if (line.starts_with(kNote)) line.remove_prefix(kNote.size());
    if (!line.empty()) lines.append(line).append("\n");
  }
  if (lines.empty()) return;
  out += "<h2>About these numbers</h2>\n";
  append_list(out, lines);
}

void append_count_tables(std::string& out, const TimelineProfile& timeline) {
  const CountProfile& first = timeline.counts.front();
  const usize rows = shown_counts(timeline);
  if (rows < timeline.counts.size()) {
    out += fmt::format(
        "<p>The tables show the first {} of {} counts; the graphs and the CSV files have all of them.</p>\n",
        text::with_commas(rows), text::with_commas(timeline.counts.size()));
  }
  for_each_unit(first, [&](const RowPlace& place) { append_unit_counts(out, timeline, place, rows); });
  std::set<u32> cores;
  for (const answers::MetricRow& metric : first.metrics) cores.insert(metric.core);
  for (const u32 core : cores) append_core_metrics(out, timeline, core, rows);
}

using report::Topdown;
using report::TopdownFunction;
using report::TopdownSamples;

constexpr usize kMostFunctions = 50;
constexpr u32 kMostPlaces = 20;  // rows in each memory table

void append_text(std::string& out, std::string_view text) {
  if (!text.empty()) out += "<p>" + report::markup_text(text) + "</p>\n";
}

// A bar, with its length also as text.
std::string meter(double percent) {
  const double shown = std::clamp(percent, 0.0, 100.0);
  return fmt::format("<meter min=\"0\" max=\"100\" value=\"{0:.2f}\">{0:.2f} %</meter>", shown);
}

void append_tree(std::string& out, const topdown::Drill& drill) {
  append_head(out, "Where the slots went",
              {"Node", "Share", "%", "± (95 %)", "Of", "Run", "What it means and how to improve it"});
  for (const u32 index : report::counted_nodes(drill)) {
    const topdown::Node& node = drill.method().nodes[index];
    const topdown::Share& share = drill.shares()[index];
    const bool worst = index == drill.worst();
    out += fmt::format("<tr{}><th scope=\"row\" class=\"level-{}\">{}{}</th><td>{}</td>",
                       worst ? " class=\"worst\"" : "", node.level, report::markup_text(node.metric.name),
                       worst ? " ←" : "", share.is_sure() ? meter(share.value) : "");
    append_cells(out, {report::topdown_percent(share), report::topdown_margin(share), node.of,
                       std::to_string(share.run), topdown::meaning_of(node.metric.name)});
  }
  out += "</tbody></table>\n";
  append_text(out, report::topdown_sum(drill));
  append_text(out, report::topdown_verdict(drill));
}

void append_groups(std::string& out, const topdown::Drill& drill) {
  if (drill.groups().empty()) return;
  append_capital_table(out, "Misses that may explain it", report::topdown_group_table(drill), drill.likely_group());
  append_text(out, report::topdown_group_verdict(drill));
}

void append_sampled_functions(std::string& out, const TopdownSamples& where) {
  if (where.event.empty()) return;
  if (where.samples == 0) {
    append_text(out, "No sample of " + where.event + " was taken, so no function can be named.");
    return;
  }
  append_head(out,
              fmt::format("Where {} happens: {} samples, one in {}", where.event, text::with_commas(where.samples),
                          text::with_commas(where.interval)),
              {"Share", "%", "95 % interval", "Samples", "Module", "Function", "Hottest line", "% of it"});
  const usize shown = std::min(where.functions.size(), kMostFunctions);
  for (const TopdownFunction& row : std::span(where.functions).first(shown)) {
    const double share = text::percent_of(row.samples, where.samples);
    const report::Interval interval = report::share_interval(row.samples, where.samples, where.missing);
    const double of_it = text::percent_of(row.line_samples, row.samples);
    out += "<tr><td>" + meter(share) + "</td>";
    append_cells(
        out, {fmt::format("{:.2f}", share), fmt::format("{:.2f} to {:.2f}", 100 * interval.low, 100 * interval.high),
              text::with_commas(row.samples), row.module, row.function, row.line.empty() ? "-" : row.line,
              row.line.empty() ? "-" : fmt::format("{:.1f}", of_it)});
  }
  out += "</tbody></table>\n";
  append_text(out, report::missing_samples(where));
  if (where.functions.size() > shown) append_text(out, fmt::format("… and {} more", where.functions.size() - shown));
}

void append_memory(std::string& out, const operations::SpeProfile& profile) {
  const report::SpeOptions options{.samples = {}, .memory = true, .memory_rows = kMostPlaces};
  append_table(out, "Where data came from, by SPE", report::source_table(*profile.memory));
  append_table(out, "Functions that waited for it", report::access_symbol_table(profile, options));
  append_table(out, "Lines that waited for it", report::access_line_table(profile, options));
}

void append_kind(std::string& out, const Topdown& kind) {
  out += "<h1>" + report::markup_text(report::topdown_headline(kind)) + "</h1>\n";
  append_tree(out, kind.drill);
  append_groups(out, kind.drill);
  append_sampled_functions(out, kind.answer.where);
  if (kind.answer.memory.has_value() && kind.answer.memory->memory.has_value()) append_memory(out, *kind.answer.memory);
  for (const std::string& note : kind.answer.notes) append_text(out, "Note: " + note);
}

}  // namespace

std::string count_page(const TimelineProfile& timeline, const stacks::RecordingAbout& about) {
  const std::string title = title_of_page(timeline, about);
  const stacks::Moments moments = count_moments(timeline);
  // A profile without events and samples, so that the views show only counters.
  stacks::StackProfile profile;
  profile.file = title;
  profile.slices = stacks::make_time_slices(0, moments.end_ns, kSliceNs);
  profile.elapsed_seconds = static_cast<double>(moments.end_ns) / 1e9;
  std::string out = page_start(title + " - wperf") + views_start(title);
  append_count_notes(out, timeline);
  append_count_facts(out, timeline, about);
  if (timeline.counts.empty())
    out += "<p>Nothing was counted.</p>\n";
  else
    append_count_tables(out, timeline);
  return out + views_end(profile, {.moments = &moments, .version = about.version});
}

std::string topdown_page(std::span<const Topdown> kinds) {
  const std::string program = kinds.empty() ? std::string() : kinds.front().answer.program;
  std::string out = page_start((program.empty() ? "top-down" : program) + " - wperf");
  out += "<main id=\"plain\">\n";
  for (const Topdown& kind : kinds) append_kind(out, kind);
  out += "</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace wperf::html
