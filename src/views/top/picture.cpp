// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ground/text/base_name.h"
#include "ground/text/number_text.h"
#include "ground/text/unicode.h"
#include "views/report/count_derived.h"
#include "views/report/headline.h"
#include "views/report/top_report.h"

namespace wperf::top {
namespace {

constexpr usize kLinesAbove = 4, kLinesBelow = 1;
constexpr double kHot = 5, kWarm = 0.5;  // in percent, as in the tables of report

Style style_of(double percent) {
  return percent >= kHot ? Style::hot : percent >= kWarm ? Style::warm : Style::plain;
}

std::string_view title_of(Grouping grouping) {
  static constexpr std::string_view kTitles[] = {"functions", "threads", "cores", "modules", "waits", "counters"};
  return kTitles[static_cast<u32>(grouping)];
}

std::string extent_text(Extent extent, const TableAnswer& answer) {
  const std::string length = text::duration(answer.seconds);
  if (extent == Extent::newest) return "last " + length;
  return extent == Extent::ten ? fmt::format("last {} looks ({})", answer.looks, length) : "all " + length;
}

Line rates_line(const TableAnswer& answer, const PictureFacts& facts, const TopView& view, usize columns) {
  Line line(columns);
  line.put("wperf top: " + facts.of, Style::bold);
  if (facts.has_ended) line.put(", which has ended", Style::bold);
  if (view.paused) line.put(" PAUSED", Style::chosen);
  std::string rates;
  for (const TableEvent& event : answer.events) {
    const double rate = answer.seconds > 0 ? static_cast<double>(event.period) / answer.seconds : 0;
    rates += !rates.empty() ? ", " : answer.lost + answer.throttled != 0 ? "   at least " : "   ";
    rates += event.is_clock ? fmt::format("{} {} cores", event.name, text::fixed(rate / 1e9, 2))
                            : fmt::format("{} {}/s", event.name, text::scaled_number(rate));
  }
  line.put(rates);
  return line;
}

Line chosen_line(const TopView& view, const TableAnswer& answer, const PictureFacts& facts, usize columns) {
  Line line(columns);
  const TableQuery& query = view.query;
  line.put(std::string(title_of(query.grouping)), Style::bold);
  if (!query.within.is_all()) line.put(" of " + view.within_name, Style::bold);
  const bool of_waits = query.grouping == Grouping::wait;
  if (of_waits && !facts.no_waits.empty()) return line;
  if (query.grouping == Grouping::counter) {
    line.put(", " + extent_text(query.extent, answer));
    if (answer.counted == 0) line.put(": the sampled ones; add others with --counters");
    return line;
  }
  if (query.event < answer.events.size() && answer.events.size() > 1 && !of_waits)
    line.put(" by " + answer.events[query.event].name);
  line.put(", " + extent_text(query.extent, answer) + ": ");
  if (of_waits && answer.period == 0 && answer.samples == 0) {
    line.put("none known");
    return line;
  }
  line.put(of_waits ? report::waited_text(answer.samples, answer.period, answer.seconds)
                    : text::with_commas(answer.samples) + " samples");
  if (!query.filter.empty()) {
    line.put(fmt::format(", '{}' has {} %", query.filter,
                         text::fixed(text::percent_of(answer.shown_period, answer.period), 2)));
  }
  return line;
}

// The losses, the worst first, and the samples of Python programs.
Line missing_line(const TableAnswer& answer, const PictureFacts& facts, usize columns) {
  Line line(columns);
  const auto put = [&](const std::string& text, Style style) {
    if (line.columns() != 0) line.put("; ");
    line.put(text, style);
  };
  if (answer.lost != 0) put(fmt::format("{} samples lost", text::with_commas(answer.lost)), Style::hot);
  if (answer.throttled != 0) put(fmt::format("throttled {}", text::times(answer.throttled)), Style::hot);
  constexpr double kNsPerSecond = 1e9;
  if (answer.unseen_ns != 0) {
    put(text::duration(static_cast<double>(answer.unseen_ns) / kNsPerSecond) + " not sampled", Style::warm);
  }
  if (const std::string python = report::python_text(answer.python); !python.empty()) put(python, Style::faint);
  if (answer.nameless_period != 0) {
    put(fmt::format("{} % without a name, most in {}: {}",
                    text::fixed(text::percent_of(answer.nameless_period, answer.period), 1), answer.nameless_module,
                    answer.nameless_reason),
        Style::faint);
  }
  if (!facts.note.empty()) put(facts.note, Style::faint);
  return line;
}

constexpr usize kPercentColumns = 7, kSamplesColumns = 10;
// The width of the column with the detail (module, pid).
usize detail_columns(const TableAnswer& answer, Grouping grouping, usize columns) {
  if (grouping == Grouping::core || grouping == Grouping::module) return 0;
  usize widest = grouping == Grouping::function ? 6 : 3;
  constexpr usize kLookedAt = 100;  // only the first rows are considered
  for (usize i = 0; i < std::min(answer.rows.size(), kLookedAt); ++i) {
    widest = std::max(widest, columns_of(answer.rows[i].detail));
  }
  return std::min(widest, columns / 4);
}

Line head_line(const TopView& view, usize detail, usize columns) {
  Line line(columns);
  line.put_right("%", kPercentColumns, Style::bold);
  const bool of_waits = view.query.grouping == Grouping::wait;
  if (of_waits) line.put_right("waited", kSamplesColumns, Style::bold);
  line.put_right(of_waits ? "begun" : "samples", kSamplesColumns, Style::bold);
  line.put("  ");
  static constexpr std::string_view kDetails[] = {"module", "pid", "", "", "for", "by"};
  static constexpr std::string_view kNames[] = {"function", "thread", "core", "module", "in", "event"};
  const u32 grouping = static_cast<u32>(view.query.grouping);
  if (detail != 0) {
    line.put_left(kDetails[grouping], detail, Style::bold);
    line.put("  ");
  }
  line.put(kNames[grouping], Style::bold);
  if (view.query.by_name) line.put(" (by name)");
  return line;
}

// The first of `count` rows to show, so that the cursor is visible.
usize first_of_page(usize cursor, usize count, usize page) {
  if (count <= page || page == 0) return 0;
  const usize half = page / 2;
  return std::min(cursor - std::min(cursor, half), count - page);
}

void append_rows(std::vector<Line>& lines, const TopView& view, const TableAnswer& answer, usize columns, usize page) {
  const usize detail = detail_columns(answer, view.query.grouping, columns);
  lines.push_back(head_line(view, detail, columns));
  const usize cursor = std::min(view.cursor, std::max<usize>(answer.rows.size(), 1) - 1);
  const usize first = first_of_page(cursor, answer.rows.size(), page);
  for (usize i = first; i < std::min(answer.rows.size(), first + page); ++i) {
    const TableRow& row = answer.rows[i];
    const double percent = text::percent_of(row.period, answer.period);
    const bool is_chosen = i == cursor && view.is_there;
    const Style style = is_chosen ? Style::chosen : style_of(percent);
    Line line(columns);
    line.put_right(text::fixed(percent, 2), kPercentColumns, style);
    if (view.query.grouping == Grouping::wait) {
      line.put_right(text::duration(static_cast<double>(row.period) / 1e9), kSamplesColumns, style);
    }
    line.put_right(text::with_commas(row.samples), kSamplesColumns, style);
    line.put("  ", style);
    if (detail != 0) {
      line.put_left(row.detail, detail, style);
      line.put("  ", style);
    }
    line.put(row.name, style);
    if (is_chosen) line.fill(style);
    lines.push_back(std::move(line));
  }
}

constexpr usize kCountColumns = 18, kByColumns = 7;

void append_counters(std::vector<Line>& lines, const TopView& view, const TableAnswer& answer, usize columns,
                     usize page) {
  usize widest = 5;  // "event"
  for (const TableRow& row : answer.rows) widest = std::max(widest, columns_of(row.name));
  widest = std::min(widest, columns / 3);
  const auto append = [&](std::string_view count, std::string_view event, std::string_view by, std::string_view derived,
                          Style style) {
    Line line(columns);
    line.put_right(count, kCountColumns, style);
    line.put("  ", style);
    line.put_left(event, widest, style);
    line.put("  ", style);
    line.put_left(by, kByColumns, style);
    line.put("  ", style);
    line.put(derived, style);
    if (style == Style::chosen) line.fill(style);
    lines.push_back(std::move(line));
  };
  append("count", "event", "by", "that is", Style::bold);
  const std::span<const answers::CountRow> all(answer.counters);
  const std::span<const answers::CountRow> counted = all.first(answer.counted), sampled = all.subspan(answer.counted);
  const usize cursor = std::min(view.cursor, std::max<usize>(answer.rows.size(), 1) - 1);
  const usize first = first_of_page(cursor, answer.rows.size(), page);
  for (usize i = first; i < std::min(answer.rows.size(), first + page); ++i) {
    const TableRow& row = answer.rows[i];
    const answers::CountRow& counter = answer.counters[row.key];
    append(report::counter_text(counter), row.name, row.detail,
           report::derived_text(counter, row.key < answer.counted ? counted : sampled, answer.seconds),
           i == cursor && view.is_there ? Style::chosen : Style::plain);
  }
}

struct CodeRow {
  std::string place, text;
  stacks::CodeHits hits;
};

std::vector<CodeRow> code_rows_of(const CodeView& view) {
  std::vector<CodeRow> rows;
  if (view.instructions) {
    for (const stacks::CodeInstruction& one : view.code.instructions) {
      rows.push_back({text::hex(one.address, 1), one.text, one.hits});
    }
    return rows;
  }
  for (const stacks::CodeLine& one : view.code.lines) {
    const std::string_view file = text::base_name(one.file);
    rows.push_back({file.empty() ? "-" : fmt::format("{}:{}", file, one.line), one.source, one.hits});
  }
  return rows;
}

void append_code(std::vector<Line>& lines, const TopView& view, const LiveTable& table, usize columns, usize page) {
  const CodeView& code = *view.code;
  const TableFunction& function = table.function(code.function);
  Line head(columns);
  head.put(fmt::format("{} of {}!{}", code.instructions ? "instructions" : "lines", function.module, function.name),
           Style::bold);
  head.put(code.is_waiting ? "  looking ..." : fmt::format("  {} samples", text::with_commas(code.code.hits.samples)));
  lines.push_back(std::move(head));
  if (!code.reason.empty()) {
    Line why(columns);
    why.put(code.reason, Style::faint);
    lines.push_back(std::move(why));
  }
  const std::vector<CodeRow> rows = code_rows_of(code);
  usize widest = 1;
  for (const CodeRow& row : rows) widest = std::max(widest, columns_of(row.place));
  widest = std::min(widest, columns / 3);
  const usize cursor = std::min(code.cursor, std::max<usize>(rows.size(), 1) - 1);
  const usize first = first_of_page(cursor, rows.size(), page);
  for (usize i = first; i < std::min(rows.size(), first + page); ++i) {
    const double percent = text::percent_of(rows[i].hits.period, code.code.hits.period);
    const Style style = i == cursor ? Style::chosen : style_of(percent);
    Line line(columns);
    line.put_right(rows[i].hits.samples == 0 ? "" : text::fixed(percent, 2), kPercentColumns, style);
    line.put_right(rows[i].hits.samples == 0 ? "" : text::with_commas(rows[i].hits.samples), kSamplesColumns, style);
    line.put("  ", style);
    line.put_left(rows[i].place, widest, style);
    line.put("  ", style);
    line.put(rows[i].text, style);
    if (i == cursor) line.fill(style);
    lines.push_back(std::move(line));
  }
}

constexpr std::string_view kHelp[] = {
    "up down, page up, page down    move",
    "enter, right                   open: the code of a function; the contents of a thread, core or module",
    "escape, left                   back",
    "/                              show only names with this text",
    "1 2 3 4 5 6, v                 functions, threads, cores, modules, waits, counters; v: the next one",
    "t                              show the last look, the last ten, or all since the start",
    "s                              sort by name, or by share",
    "e                              show the next event",
    "i                              switch between instructions and lines of a function",
    "p, space                       pause the display; sampling goes on",
    "c                              clear: discard all samples and start again",
    "w                              write the samples to a file for wperf report",
    "q, Ctrl-C                      end",
};

// As much of the end of the text as fits.
std::string end_of(std::string_view text, usize columns) {
  if (columns_of(text) <= columns) return std::string(text);
  const auto continues = [&] { return !text.empty() && text::continues_character(text.front()); };
  while (!text.empty() && columns_of(text) + 1 > columns) {
    text.remove_prefix(1);
    while (continues()) text.remove_prefix(1);
  }
  return (columns == 0 ? "" : "~") + std::string(text);
}

Line last_line(const TopView& view, usize columns) {
  Line line(columns);
  if (view.typing == Typing::overwrite) {
    line.put(view.typed + " exists; overwrite it? y: yes; or type another name", Style::bold);
    return line;
  }
  if (view.typing != Typing::nothing) {
    // The end of the typed text is always visible, followed by the cursor.
    constexpr usize kLeastTyped = 8;
    const std::string_view label = view.typing == Typing::filter ? "names with: " : "write to: ";
    if (label.size() + kLeastTyped < columns) line.put(label, Style::bold);
    const usize room = line.left() - std::min<usize>(line.left(), 1);
    line.put(end_of(view.typed, room));
    line.put(" ", Style::chosen);
    return line;
  }
  if (!view.message.empty()) {
    line.put(view.message, Style::bold);
    return line;
  }
  line.put("h help  q end  / filter  enter zoom  esc back  v view  t time  p hold  w write", Style::faint);
  return line;
}

std::string_view why_no_rows(const TopView& view, const TableAnswer& answer, const PictureFacts& facts) {
  if (facts.is_first) return "sampling ...";
  if (answer.samples != 0 || answer.period != 0) return "no name contains this text; escape shows all";
  if (view.query.grouping == Grouping::wait)
    return "none of these threads has started to wait yet; waits that began earlier are not known";
  return "no samples: none of the observed code ran";
}

}  // namespace

usize page_of(usize lines) {
  return lines - std::min(lines, kLinesAbove + kLinesBelow);
}

Picture make_picture(const TopView& view, const LiveTable& table, const TableAnswer& answer, const PictureFacts& facts,
                     PictureSize size) {
  const auto [columns, lines] = size;
  Picture picture{.columns = columns, .lines = {}};
  picture.lines.push_back(rates_line(answer, facts, view, columns));
  picture.lines.push_back(chosen_line(view, answer, facts, columns));
  picture.lines.push_back(missing_line(answer, facts, columns));
  const usize page = page_of(lines);
  if (view.help) {
    for (const std::string_view text : kHelp) {
      Line line(columns);
      line.put(text);
      picture.lines.push_back(std::move(line));
    }
  } else if (view.code.has_value()) {
    append_code(picture.lines, view, table, columns, page);
  } else if (view.query.grouping == Grouping::wait && !facts.no_waits.empty()) {
    Line line(columns);
    line.put(facts.no_waits, Style::bold);
    picture.lines.push_back(std::move(line));
  } else if (view.query.grouping == Grouping::counter && !answer.rows.empty()) {
    append_counters(picture.lines, view, answer, columns, page);
  } else {
    append_rows(picture.lines, view, answer, columns, page);
    if (answer.rows.empty()) {
      Line line(columns);
      line.put(why_no_rows(view, answer, facts), Style::faint);
      picture.lines.push_back(std::move(line));
    }
  }
  picture.lines.resize(std::max<usize>(lines, 1) - 1, Line(columns));
  picture.lines.push_back(last_line(view, columns));
  return picture;
}

}  // namespace wperf::top
