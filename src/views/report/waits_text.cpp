// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <utility>

#include "ground/text/number_text.h"
#include "views/report/about_text.h"
#include "views/report/headline.h"
#include "views/report/table.h"
#include "views/report/waits_report.h"
#include "views/report/waits_verdict.h"

namespace wperf::report {

// Waits can take microseconds, which duration() does not show.
std::string wait_time_text(u64 ns) {
  if (ns == 0) return "0";
  if (ns < 99'950) return text::fixed(static_cast<double>(ns) / 1e3, 1) + " us";
  return text::duration(static_cast<double>(ns) / 1e9);
}

namespace {

using waits::WaitReport;

void append_part(std::string& out, WaitPart part, usize width) {
  if (part.table.rows.empty()) return;
  const usize all = part.table.rows.size();
  out += '\n';
  append_line_within(out, part.heading, width);
  if (all > part.rows) part.table.rows.resize(part.rows);
  append_table_within(out, part.table, width);
  if (all > part.rows) out += fmt::format("      ... and {} more\n", text::with_commas(all - part.rows));
}

void append_left_out(std::string& out, const waits::OmittedRows& left_out, usize width) {
  if (left_out.count == 0) return;
  out += '\n';
  append_line_within(out, "note: " + left_out_text(left_out), width);
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
    text += (text.empty() ? "" : ", ") + text::counted(number, what);
  };
  add(report.lost_records, "record");
  add(report.lost_events, "event");
  add(report.lost_buffers, "buffer");
  if (report.is_damaged) text += text.empty() ? "parts of the file" : ", and parts of the file";
  return text.empty() ? "nothing" : text;
}

std::string switches_text(u64 number) {
  return fmt::format("{} thread switch{}", text::with_commas(number), number == 1 ? "" : "es");
}

void add_missing(const WaitReport& report, bool all, std::vector<std::string>& lines) {
  const u64 shown = report.shown_contradictions, others = report.contradictions - shown;
  if (shown != 0) {
    const std::string time = fmt::format("; up to {} cannot be attributed", wait_time_text(report.contradicted));
    lines.push_back(fmt::format("Some records are missing around {}{}.", switches_text(shown),
                                report.contradicted != 0 ? time : ""));
  }
  if (all && others != 0) {
    lines.push_back(
        fmt::format("Some records are missing around {} of threads that are not shown.", switches_text(others)));
  }
}

void append_tables(std::string& out, const WaitReport& report, const WaitTextOptions& options) {
  std::vector<WaitPart> parts = wait_parts(report, options);
  for (usize i = 0; i < parts.size(); ++i) {
    constexpr usize kSums = 4;  // the first tables show sums, which may lack some waits
    if (i == kSums) append_left_out(out, report.left_out, options.width);
    append_part(out, std::move(parts[i]), options.width);
  }
}

}  // namespace

bool has_losses(const WaitReport& report) {
  return report.lost_records + report.lost_events + report.lost_buffers != 0 || report.is_damaged;
}

std::string left_out_text(const waits::OmittedRows& left_out) {
  return fmt::format("not listed: {} that are shorter than {}, {} together", text::with_commas(left_out.count),
                     wait_time_text(left_out.min), wait_time_text(left_out.time));
}

std::vector<std::string> wait_lines(const WaitReport& report, bool all) {
  const double seconds = static_cast<double>(report.duration) / 1e9;
  std::vector<std::string> lines{fmt::format(
      "recorded: {} switch{} and {} wake-up{} in {} ({}/s); lost: {}; {}", text::with_commas(report.switches),
      report.switches == 1 ? "" : "es", text::with_commas(report.wakeups), report.wakeups == 1 ? "" : "s",
      text::duration(seconds),
      text::scaled_number(seconds == 0 ? 0 : static_cast<double>(report.switches + report.wakeups) / seconds),
      lost_text(report), cost_text(report))};
  if (std::string python = python_text(report.python); !python.empty()) lines.push_back(std::move(python));
  if (const std::string loss = python_loss_text(report.python); !loss.empty()) lines.push_back("note: " + loss);
  add_missing(report, all, lines);
  if (report.has_other_samples && report.has_stacks) {
    lines.emplace_back(
        "note: samples were recorded together with stacks of switches; each disturbs what the other measures");
  }
  if (!report.places_now.empty()) {
    lines.emplace_back(
        "note: no thread was switched, so each thread ran or waited all the time. The places are from /proc/PID/task; "
        "the program's own functions are not known, because a stack is recorded only when a thread leaves its core");
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
        "note: the recording does not show which locks threads waited for; `wperf waits` records this, and so does "
        "`perf "
        "record --user-regs=di` (on Arm --user-regs=x0)");
  }
  return lines;
}

std::string waits_text(const WaitReport& report, const WaitTextOptions& options) {
  const usize width = options.width;
  std::string out;
  const std::string ran = options.about != nullptr ? run_text(*options.about) : std::string();
  const std::string made = options.about != nullptr ? made_text(*options.about) : std::string();
  const bool shows_tables = !report.path.has_value() && report.timeline_of.empty();
  std::vector<std::string> lines = wait_lines(report, options.verbose);
  const std::string recorded = has_losses(report) ? std::string() : std::move(lines.front());
  if (!recorded.empty()) lines.erase(lines.begin());
  if (!ran.empty()) append_line_within(out, ran, width);
  if (report.from.has_value() && shows_tables) {
    append_line_within(
        out,
        fmt::format("only from {:.6g} s to {:.6g} s of the recording; cores are shown only for whole recordings",
                    static_cast<double>(*report.from) / 1e9, static_cast<double>(*report.to) / 1e9),
        width);
  }
  if (shows_tables) {
    for (const std::string& line : wait_verdict(report)) append_line_within(out, line, width);
  }
  for (const std::string& line : lines) append_line_within(out, line, width);
  if (report.path.has_value()) {
    for (WaitPart& part : path_parts(*report.path, options.rows)) append_part(out, std::move(part), width);
    append_left_out(out, report.path->left_out, width);
  } else if (!shows_tables) {
    append_part(out, timeline_part(report), width);
    append_left_out(out, report.left_out, width);
  } else {
    append_tables(out, report, options);
  }
  if (!recorded.empty()) {
    out += '\n';
    append_line_within(out, recorded, width);
  }
  if (shows_tables && !made.empty()) out += fmt::format("{}recorded {}\n", recorded.empty() ? "\n" : "", made);
  return out;
}

}  // namespace wperf::report
