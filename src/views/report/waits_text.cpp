// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ground/text/number_text.h"
#include "views/report/headline.h"
#include "views/report/narrow_table.h"
#include "views/report/waits_report.h"

namespace wperf::report {

// Waits may be of microseconds, which duration() of tables of programs is too coarse for.
std::string wait_time_text(u64 ns) {
  if (ns == 0) return "0";
  if (ns < 99'950) return text::fixed(static_cast<double>(ns) / 1e3, 1) + " us";
  return text::duration(static_cast<double>(ns) / 1e9);
}

namespace {

using waits::WaitReport;

std::string time_cell(u64 ns) {
  return ns == 0 ? "-" : wait_time_text(ns);
}

std::string name_or_dash(const std::string& name) {
  return name.empty() ? "-" : name;
}

// The program's own function, if one is known.
std::string shown_place(const std::string& caller, const std::string& function) {
  return name_or_dash(caller.empty() ? function : caller);
}

std::string by_which(const std::string& caller, const std::string& function) {
  return caller.empty() || caller == function ? "-" : function;
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

void append_part(std::string& out, WaitPart part, usize width) {
  if (part.table.rows.empty()) return;
  const usize all = part.table.rows.size();
  out += '\n';
  append_line_within(out, part.heading, width);
  if (all > part.rows) part.table.rows.resize(part.rows);
  append_table_within(out, part.table, width);
  if (all > part.rows) out += fmt::format("      ... and {} more\n", text::with_commas(all - part.rows));
}

WaitPart threads_part(const WaitReport& report, const WaitTextOptions& options) {
  const bool has_unknown = std::any_of(report.threads.begin(), report.threads.end(),
                                       [](const waits::ThreadRow& row) { return row.times.unknown != 0; });
  // Columns of classes without waits are left out.
  std::array<bool, waits::kWaitClasses> is_used{};
  for (const waits::ThreadRow& row : report.threads) {
    for (usize i = 0; i < is_used.size(); ++i) is_used[i] = is_used[i] || row.by_class[i] != 0;
  }
  Table table;
  table.columns = {left("thread"), right("tid"), right("wall"), right("running"), right("ready")};
  if (options.preempted) table.columns.push_back(right("preempted"));
  table.columns.push_back(right("waiting"));
  for (usize i = 0; i < is_used.size(); ++i) {
    if (is_used[i]) table.columns.push_back(right(std::string(waits::kWaitClassNames[i])));
  }
  if (has_unknown) table.columns.push_back(right("unknown"));
  table.columns.push_back(right("switches"));
  table.columns.push_back(right("longest wait"));
  for (const waits::ThreadRow& row : report.threads) {
    std::vector<std::string> cells{row.name, std::to_string(row.thread), time_cell(row.times.wall()),
                                   time_cell(row.times.running), time_cell(row.times.ready)};
    if (options.preempted) cells.push_back(time_cell(row.times.preempted));
    cells.push_back(time_cell(row.times.waiting));
    for (usize i = 0; i < is_used.size(); ++i) {
      if (is_used[i]) cells.push_back(time_cell(row.by_class[i]));
    }
    if (has_unknown) cells.push_back(time_cell(row.times.unknown));
    cells.push_back(text::with_commas(row.times.switches));
    cells.push_back(time_cell(row.times.longest_wait));
    table.rows.push_back(std::move(cells));
  }
  return {fmt::format("threads: wall = running + ready + waiting{}, and what they waited for{}",
                      has_unknown ? " + unknown" : "", options.preempted ? "; preempted is a part of ready" : ""),
          std::move(table), options.rows};
}

WaitPart functions_part(const WaitReport& report, u32 rows) {
  Table table;
  table.columns = {right("total"), right("count"), right("mean"), right("p50"),   right("p99"),    right("max"),
                   left("for"),    left("in"),     left("by"),    left("module"), left("ended by")};
  for (const waits::FunctionRow& row : report.functions) {
    table.rows.push_back(
        {wait_time_text(row.total), text::with_commas(row.count),
         wait_time_text(row.total / std::max<u64>(row.count, 1)), wait_time_text(row.median),
         wait_time_text(row.most_of_99_percent), wait_time_text(row.longest), std::string(name_of(row.wait)),
         shown_place(row.caller, row.function), by_which(row.caller, row.function),
         row.caller_module.empty() ? row.module : row.caller_module, row.waker.empty() ? "-" : row.waker});
  }
  return {"where they waited", std::move(table), rows};
}

// A lock that threads waited for in several places has a row, followed by one for each of these places.
WaitPart locks_part(const WaitReport& report, u32 rows) {
  const auto is_of_another = [&](const waits::LockRow& row) {
    return row.is_known && row.process != report.locks.front().process;
  };
  const bool has_processes = std::any_of(report.locks.begin(), report.locks.end(), is_of_another);
  Table table;
  table.columns = {right("total"), right("count"), right("mean"), right("max"), left("lock")};
  if (has_processes) table.columns.push_back(left("process"));
  table.columns.insert(table.columns.end(), {left("in"), left("by"), left("ended by")});
  const auto add = [&](const auto& sums, std::string lock, std::string process, std::vector<std::string> place) {
    std::vector<std::string> cells{wait_time_text(sums.total), text::with_commas(sums.count),
                                   wait_time_text(sums.total / std::max<u64>(sums.count, 1)),
                                   wait_time_text(sums.longest), std::move(lock)};
    if (has_processes) cells.push_back(std::move(process));
    cells.insert(cells.end(), std::make_move_iterator(place.begin()), std::make_move_iterator(place.end()));
    table.rows.push_back(std::move(cells));
  };
  const auto place_of = [](const waits::LockPlace& place) {
    return std::vector<std::string>{shown_place(place.caller, place.function), by_which(place.caller, place.function),
                                    place.waker.empty() ? "-" : place.waker};
  };
  for (const waits::LockRow& row : report.locks) {
    const std::string process = row.is_known ? fmt::format("{} ({})", row.process_name, row.process) : "-";
    if (row.places.size() == 1) {
      add(row, row.name, process, place_of(row.places.front()));
      continue;
    }
    add(row, row.name, process, {fmt::format("{} places:", row.places.size()), "-", "-"});
    for (const waits::LockPlace& place : row.places) add(place, "", "", place_of(place));
  }
  return {"which locks they waited for, and where", std::move(table), rows};
}

WaitPart wakers_part(const WaitReport& report, u32 rows) {
  Table table;
  table.columns = {right("waited"), right("count"),   right("wake to run, mean"), left("who waited"),
                   left("in"),      left("woken by"), left("waker was in")};
  for (const waits::WakerRow& row : report.wakers) {
    table.rows.push_back({wait_time_text(row.waited), text::with_commas(row.count),
                          wait_time_text(row.latency / std::max<u64>(row.count, 1)), row.waiter,
                          shown_place(row.caller, row.function), row.waker,
                          shown_place(row.waker_caller, row.waker_function)});
  }
  return {"who waited for whom", std::move(table), rows};
}

WaitPart starved_part(const WaitReport& report, u32 rows) {
  Table table;
  table.columns = {right("time"), right("times"), left("was ready"), left("while this ran")};
  for (const waits::StarvedRow& row : report.starved) {
    table.rows.push_back({wait_time_text(row.time), text::with_commas(row.times), row.ready, row.ran});
  }
  constexpr u32 kMostRows = 10;
  return {"who held the CPU while a thread was ready to run", std::move(table), std::min(rows, kMostRows)};
}

WaitPart cores_part(const WaitReport& report) {
  Table table;
  const bool has_unknown = std::any_of(report.cores.begin(), report.cores.end(),
                                       [](const waits::CoreRow& row) { return row.times.unknown != 0; });
  table.columns = {right("core"), right("busy"), right("idle")};
  if (has_unknown) table.columns.push_back(right("unknown"));
  table.columns.insert(table.columns.end(), {right("switches"), right("switches/s")});
  if (report.has_interrupts) {
    table.columns.insert(table.columns.end(), {right("DPC"), right("ISR"), right("interrupts")});
  }
  for (const waits::CoreRow& row : report.cores) {
    const u64 known = row.times.busy + row.times.idle;
    const double rate = known == 0 ? 0 : static_cast<double>(row.times.switches) * 1e9 / static_cast<double>(known);
    std::vector<std::string> cells{std::to_string(row.core), time_cell(row.times.busy), time_cell(row.times.idle)};
    if (has_unknown) cells.push_back(time_cell(row.times.unknown));
    cells.insert(cells.end(), {text::with_commas(row.times.switches), text::scaled_number(rate)});
    if (report.has_interrupts) {
      cells.insert(cells.end(), {time_cell(row.interrupts.dpc), time_cell(row.interrupts.isr),
                                 text::with_commas(row.interrupts.count)});
    }
    table.rows.push_back(std::move(cells));
  }
  return {"cores", std::move(table), ~u32{0}};
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

void append_left_out(std::string& out, const waits::LeftOut& left_out, usize width) {
  if (left_out.count == 0) return;
  out += '\n';
  append_line_within(out, "note: " + left_out_text(left_out), width);
}

void append_timeline(std::string& out, const WaitReport& report, usize width) {
  Table table;
  table.columns = {right("from"),     right("for"), left("state"), right("core"),
                   left("waits for"), left("in"),   left("by"),    left("ended by")};
  const bool has_locks = std::any_of(report.timeline.begin(), report.timeline.end(),
                                     [](const waits::StretchRow& row) { return !row.lock.empty(); });
  if (has_locks) table.columns.push_back(left("lock"));
  const bool has_reasons = std::any_of(report.timeline.begin(), report.timeline.end(),
                                       [](const waits::StretchRow& row) { return !row.reason.empty(); });
  if (has_reasons) table.columns.push_back(left("reason"));
  for (const waits::StretchRow& row : report.timeline) {
    const bool waits = row.state == waits::State::waiting;
    table.rows.push_back(
        {fmt::format("{:.6f}", static_cast<double>(row.from) / 1e9), wait_time_text(row.length),
         std::string(state_text(row)), row.state == waits::State::running ? std::to_string(row.core) : "-",
         waits ? std::string(name_of(row.wait)) : "-", shown_place(row.caller, row.function),
         by_which(row.caller, row.function),
         row.waker_function.empty() ? name_or_dash(row.waker) : row.waker + " in " + row.waker_function});
    if (has_locks) table.rows.back().push_back(name_or_dash(row.lock));
    if (has_reasons) table.rows.back().push_back(name_or_dash(std::string(row.reason)));
  }
  append_part(out, {"timeline of " + report.timeline_of + ", in seconds of the recording", std::move(table), ~u32{0}},
              width);
  append_left_out(out, report.left_out, width);
  if (report.has_others) out += "\nnote: there are more threads; choose one with --tid\n";
}

void append_path(std::string& out, const waits::PathReport& path, u32 rows, usize width) {
  const auto seconds = [](u64 ns) { return fmt::format("{:.6f}", static_cast<double>(ns) / 1e9); };
  Table sums;
  sums.columns = {right("total"), right("share"), right("count"), left("thread"), left("state"), left("in")};
  for (const waits::PathSum& sum : path.sums) {
    const double share = static_cast<double>(sum.total) * 100 / static_cast<double>(std::max<u64>(path.length, 1));
    sums.rows.push_back({wait_time_text(sum.total), text::fixed(share, 1) + " %", text::with_commas(sum.count),
                         sum.thread, std::string(waits::kPathStateNames[static_cast<usize>(sum.state)]),
                         name_or_dash(sum.function)});
  }
  append_part(out,
              {fmt::format("critical path of {}, from {} to {}: what its {} are made of", path.of, seconds(path.from),
                           seconds(path.from + path.length), wait_time_text(path.length)),
               std::move(sums), rows},
              width);
  Table steps;
  steps.columns = {right("from"), right("for"), left("thread"), left("state"), left("in"), left("ended by")};
  for (const waits::PathRow& row : path.steps) {
    steps.rows.push_back({seconds(row.from), wait_time_text(row.length), row.thread,
                          std::string(waits::kPathStateNames[static_cast<usize>(row.state)]),
                          name_or_dash(row.function), name_or_dash(row.ended_by)});
  }
  append_part(out, {"step by step, in seconds of the recording", std::move(steps), rows}, width);
  append_left_out(out, path.left_out, width);
}

std::string cost_text(const WaitReport& report) {
  const bool is_known = report.recorder_time.has_value() && report.cores_time != 0;
  if (!is_known && report.switch_cost == 0) return "cost: not known";
  std::string text;
  if (is_known) {
    const double share = static_cast<double>(*report.recorder_time) * 100 / static_cast<double>(report.cores_time);
    text = fmt::format("the recorder ran {}, {} % of the cores", wait_time_text(*report.recorder_time),
                       text::fixed(share, 1));
  }
  if (report.switch_cost != 0) {
    text += fmt::format("{}recording slowed each switch by {}", text.empty() ? "" : "; ",
                        wait_time_text(report.switch_cost));
  }
  return text;
}

std::string lost_text(const WaitReport& report) {
  std::string text;
  const auto add = [&](u64 number, std::string_view what) {
    if (number == 0) return;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", text::with_commas(number), what, number == 1 ? "" : "s");
  };
  add(report.lost_records, "record");
  add(report.lost_events, "event");
  add(report.lost_buffers, "buffer");
  if (report.is_damaged) text += text.empty() ? "parts of the file" : ", and parts of the file";
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string left_out_text(const waits::LeftOut& left_out) {
  return fmt::format("not listed: {} that are shorter than {}, {} together", text::with_commas(left_out.count),
                     wait_time_text(left_out.min), wait_time_text(left_out.time));
}

std::vector<std::string> wait_lines(const WaitReport& report) {
  const double seconds = static_cast<double>(report.duration) / 1e9;
  std::vector<std::string> lines{fmt::format(
      "recorded: {} switches and {} wake-ups in {} ({}/s); lost: {}; {}", text::with_commas(report.switches),
      text::with_commas(report.wakeups), text::duration(seconds),
      text::scaled_number(seconds == 0 ? 0 : static_cast<double>(report.switches + report.wakeups) / seconds),
      lost_text(report), cost_text(report))};
  if (report.contradictions != 0) {
    lines.push_back(fmt::format("{} gap{} in the recording; the time in them is unknown",
                                text::with_commas(report.contradictions), report.contradictions == 1 ? "" : "s"));
  }
  if (report.has_other_samples && report.has_stacks) {
    lines.emplace_back(
        "note: samples were recorded together with stacks of switches; each disturbs what the other measures");
  }
  if (!report.has_wakeups) {
    lines.emplace_back(
        "note: wake-ups were not recorded: time ready to run counts as waiting, and who ended a wait is not known");
  }
  if (!report.of_whole_cores && report.has_wakeups) {
    lines.emplace_back(
        "note: only these threads were recorded: where others woke them, time ready to run counts as waiting; other "
        "programs on their cores are not in the recording");
  } else if (!report.of_whole_cores) {
    lines.emplace_back(
        "note: only these threads were recorded: other programs on their cores are not in the recording");
  }
  if (!report.has_stacks) {
    lines.emplace_back("note: stacks of switches were not recorded: the places where threads waited are not known");
  }
  if (report.locks_are_missing) {
    lines.emplace_back(
        "note: which locks threads waited for is not recorded; `wperf waits` records it, and `perf record "
        "--user-regs=di`, on Arm --user-regs=x0");
  }
  return lines;
}

std::vector<WaitPart> wait_parts(const WaitReport& report, const WaitTextOptions& options) {
  std::vector<WaitPart> parts;
  for (WaitPart part :
       {threads_part(report, options), functions_part(report, options.rows), locks_part(report, options.rows),
        wakers_part(report, options.rows), starved_part(report, options.rows), cores_part(report)}) {
    if (!part.table.rows.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

std::string waits_text(const WaitReport& report, const WaitTextOptions& options) {
  const u32 rows = options.rows;
  const usize width = options.width;
  std::string out;
  const std::string ran = options.about != nullptr ? run_text(*options.about) : std::string();
  const std::string made = options.about != nullptr ? made_text(*options.about) : std::string();
  if (!ran.empty()) append_line_within(out, ran, width);
  for (const std::string& line : wait_lines(report)) append_line_within(out, line, width);
  if (report.path.has_value()) {
    append_path(out, *report.path, rows, width);
    return out;
  }
  if (!report.timeline_of.empty()) {
    append_timeline(out, report, width);
    return out;
  }
  append_part(out, threads_part(report, options), width);
  append_part(out, functions_part(report, rows), width);
  append_part(out, locks_part(report, rows), width);
  append_part(out, wakers_part(report, rows), width);
  append_left_out(out, report.left_out, width);
  append_part(out, starved_part(report, rows), width);
  append_part(out, cores_part(report), width);
  if (!made.empty()) out += fmt::format("\nrecorded {}\n", made);
  return out;
}

}  // namespace wperf::report
