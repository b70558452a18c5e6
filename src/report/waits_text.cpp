// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "report/narrow_table.h"
#include "report/number_text.h"
#include "report/waits_report.h"

namespace wperf::report {
namespace {

using waits::WaitReport;

// Waits may be of microseconds, which duration() of tables of programs is too coarse for.
std::string time_text(u64 ns) {
  if (ns == 0) return "0";
  if (ns < 99'950) return fixed(static_cast<double>(ns) / 1e3, 1) + " us";
  return duration(static_cast<double>(ns) / 1e9);
}

std::string time_cell(u64 ns) {
  return ns == 0 ? "-" : time_text(ns);
}

std::string_view name_of(waits::WaitClass wait) {
  return waits::kWaitClassNames[static_cast<usize>(wait)];
}

Column left(std::string title) {
  return {.title = std::move(title), .align = Align::left, .json_integer = false};
}
Column right(std::string title) {
  return {.title = std::move(title), .align = Align::right, .json_integer = false};
}

void append_part(std::string& out, std::string_view heading, Table table, u32 rows, usize width) {
  if (table.rows.empty()) return;
  const usize all = table.rows.size();
  out += '\n';
  append_line_within(out, heading, width);
  if (all > rows) table.rows.resize(rows);
  append_table_within(out, table, width);
  if (all > rows) out += fmt::format("      ... and {} more\n", with_commas(all - rows));
}

void append_threads(std::string& out, const WaitReport& report, u32 rows, usize width) {
  // Columns of classes that nobody waited for say nothing.
  std::array<bool, waits::kWaitClasses> is_used{};
  for (const waits::ThreadRow& row : report.threads) {
    for (usize i = 0; i < is_used.size(); ++i) is_used[i] = is_used[i] || row.by_class[i] != 0;
  }
  Table table;
  table.columns = {left("thread"), right("tid"), right("wall"), right("running"), right("ready"), right("waiting")};
  for (usize i = 0; i < is_used.size(); ++i) {
    if (is_used[i]) table.columns.push_back(right(std::string(waits::kWaitClassNames[i])));
  }
  table.columns.push_back(right("switches"));
  table.columns.push_back(right("longest wait"));
  for (const waits::ThreadRow& row : report.threads) {
    std::vector<std::string> cells{row.name,
                                   std::to_string(row.thread),
                                   time_cell(row.times.wall()),
                                   time_cell(row.times.running),
                                   time_cell(row.times.ready),
                                   time_cell(row.times.waiting)};
    for (usize i = 0; i < is_used.size(); ++i) {
      if (is_used[i]) cells.push_back(time_cell(row.by_class[i]));
    }
    cells.push_back(with_commas(row.times.switches));
    cells.push_back(time_cell(row.times.longest_wait));
    table.rows.push_back(std::move(cells));
  }
  append_part(out, "threads: wall = running + ready + waiting, and what they waited for", std::move(table), rows,
              width);
}

void append_functions(std::string& out, const WaitReport& report, u32 rows, usize width) {
  Table table;
  table.columns = {right("total"), right("count"), right("mean"), right("p50"),   right("p99"),
                   right("max"),   left("for"),    left("in"),    left("module"), left("ended by")};
  for (const waits::FunctionRow& row : report.functions) {
    table.rows.push_back({time_text(row.total), with_commas(row.count),
                          time_text(row.total / std::max<u64>(row.count, 1)), time_text(row.median),
                          time_text(row.most_of_99_percent), time_text(row.longest), std::string(name_of(row.wait)),
                          row.function.empty() ? "[unknown]" : row.function, row.module,
                          row.waker.empty() ? "-" : row.waker});
  }
  append_part(out, "where they waited", std::move(table), rows, width);
}

void append_wakers(std::string& out, const WaitReport& report, u32 rows, usize width) {
  Table table;
  table.columns = {right("waited"), right("count"), right("wake to run, mean"), left("who waited"), left("for whom")};
  for (const waits::WakerRow& row : report.wakers) {
    table.rows.push_back({time_text(row.waited), with_commas(row.count),
                          time_text(row.latency / std::max<u64>(row.count, 1)), row.waiter, row.waker});
  }
  append_part(out, "who waited for whom", std::move(table), rows, width);
}

void append_starved(std::string& out, const WaitReport& report, u32 rows, usize width) {
  Table table;
  table.columns = {right("time"), right("times"), left("was ready"), left("while this ran")};
  for (const waits::StarvedRow& row : report.starved) {
    table.rows.push_back({time_text(row.time), with_commas(row.times), row.ready, row.ran});
  }
  append_part(out, "who ran while others were ready, on the core that they came to", std::move(table), rows, width);
}

void append_cores(std::string& out, const WaitReport& report, usize width) {
  Table table;
  table.columns = {right("core"), right("busy"), right("idle"), right("switches"), right("switches/s")};
  for (const waits::CoreRow& row : report.cores) {
    const u64 known = row.times.busy + row.times.idle;
    const double rate = known == 0 ? 0 : static_cast<double>(row.times.switches) * 1e9 / static_cast<double>(known);
    table.rows.push_back({std::to_string(row.core), time_cell(row.times.busy), time_cell(row.times.idle),
                          with_commas(row.times.switches), scaled_number(rate)});
  }
  append_part(out, "cores", std::move(table), ~u32{0}, width);
}

std::string_view state_text(const waits::StretchRow& row) {
  switch (row.state) {
    case waits::State::running:
      return "running";
    case waits::State::ready:
      return row.preempted ? "preempted" : "ready";
    case waits::State::waiting:
      return "waiting";
    case waits::State::unknown:
      return "unknown";
  }
  return {};
}

void append_timeline(std::string& out, const WaitReport& report, usize width) {
  Table table;
  table.columns = {right("from"),     right("for"), left("state"),   right("core"),
                   left("waits for"), left("in"),   left("ended by")};
  for (const waits::StretchRow& row : report.timeline) {
    const bool waits = row.state == waits::State::waiting;
    table.rows.push_back(
        {fmt::format("{:.6f}", static_cast<double>(row.from) / 1e9), time_text(row.length),
         std::string(state_text(row)), row.state == waits::State::running ? std::to_string(row.core) : "-",
         waits ? std::string(name_of(row.wait)) : "-", waits && !row.function.empty() ? row.function : "-",
         waits && !row.waker.empty() ? row.waker : "-"});
  }
  append_part(out, "timeline of " + report.timeline_of + ", in seconds of the recording", std::move(table), ~u32{0},
              width);
  if (report.has_others) out += "\nnote: there are other threads; --tid chooses one\n";
}

}  // namespace

std::string waits_text(const WaitReport& report, u32 rows, usize width) {
  std::string out;
  const double seconds = static_cast<double>(report.duration) / 1e9;
  append_line_within(
      out,
      fmt::format("recorded: {} switches and {} wake-ups in {} ({}/s); lost: {}", with_commas(report.switches),
                  with_commas(report.wakeups), duration(seconds),
                  scaled_number(seconds == 0 ? 0 : static_cast<double>(report.switches + report.wakeups) / seconds),
                  report.lost_records == 0 ? "nothing" : with_commas(report.lost_records) + " records"),
      width);
  if (report.contradictions != 0) {
    append_line_within(out,
                       fmt::format("{} events contradict those before them: between them times are unknown and not "
                                   "counted",
                                   with_commas(report.contradictions)),
                       width);
  }
  if (report.has_other_samples && report.has_stacks) {
    append_line_within(out,
                       "note: samples were recorded together with stacks of switches; each disturbs what the other "
                       "measures",
                       width);
  }
  if (!report.has_wakeups) {
    append_line_within(out,
                       "note: wake-ups were not recorded: time ready to run counts as waiting, and nobody knows who "
                       "ended a wait",
                       width);
  }
  if (!report.has_stacks) {
    append_line_within(out, "note: stacks of switches were not recorded: nobody knows where threads waited", width);
  }
  if (!report.timeline_of.empty()) {
    append_timeline(out, report, width);
    return out;
  }
  append_threads(out, report, rows, width);
  append_functions(out, report, rows, width);
  append_wakers(out, report, rows, width);
  append_starved(out, report, rows, width);
  append_cores(out, report, width);
  return out;
}

}  // namespace wperf::report
