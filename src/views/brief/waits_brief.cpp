// SPDX-License-Identifier: BSD-3-Clause
// `waits`: the places where threads waited longest.
#include <fmt/format.h>

#include "ground/text/number_text.h"
#include "views/brief/brief.h"
#include "views/report/about_text.h"
#include "views/report/waits_report.h"
#include "views/report/waits_verdict.h"

namespace wperf::brief {
namespace {

using waits::WaitReport;

void add_rows(Brief& brief, const WaitReport& report, const report::WaitTotals& sums) {
  fill_table(brief, report.functions, [&](report::Columns& to, const waits::FunctionRow& row) {
    to.string({.text = "% of waiting", .align = report::Align::right},
              text::fixed(text::percent_of(row.total, sums.waiting), 1));
    to.string({.text = "total", .align = report::Align::right}, report::wait_time_text(row.total));
    to.count({"count"}, row.count);
    to.string({.text = "longest", .align = report::Align::right}, report::wait_time_text(row.longest));
    to.string({"for"}, name_of(row.wait));
    to.word({"in"}, row.shown());
    to.word({"by"}, row.caller.empty() ? "" : row.function);
    to.word({"ended by"}, row.waker);
  });
  brief.heading = "Where threads waited (times are exact):";
}

// A class is ruled out only if nearly all waits could be classified.
void add_ruled_out(Brief& brief, const WaitReport& report, const report::WaitTotals& sums) {
  constexpr double kSmall = 0.01;
  const double waiting = static_cast<double>(sums.waiting);
  if (report.has_wakeups && static_cast<double>(sums.ready) < kSmall * sums.wall()) {
    brief.ruled_out.push_back("too few cores: threads were ready to run without a core for " +
                              text::share(static_cast<double>(sums.ready), sums.wall()) + " of their time");
  }
  const auto of = [&](waits::WaitClass one) { return static_cast<double>(sums.of(one)); };
  if (!report.has_stacks || waiting == 0 || of(waits::WaitClass::unexplained) >= kSmall * waiting) return;
  for (const waits::WaitClass one :
       {waits::WaitClass::lock, waits::WaitClass::io, waits::WaitClass::paging, waits::WaitClass::timer}) {
    if (of(one) < kSmall * waiting)
      brief.ruled_out.push_back(fmt::format("{}: {} of the waiting", name_of(one), text::share(of(one), waiting)));
  }
}

std::string next_command(const WaitReport& report, const report::WaitTotals& sums, const Commands& commands) {
  const bool mostly_ran = static_cast<double>(sums.running) > sums.wall() / 2;
  if (mostly_ran && !commands.program.empty()) return "wperf record -g -- " + commands.program;
  if (commands.recording.empty()) return commands.keeping;
  return fmt::format("wperf waits {} {}", commands.recording, report.has_wakeups ? "--critical-path" : "--tree");
}

Brief of_threads(const WaitReport& report, const Commands& commands) {
  Brief brief;
  const report::WaitTotals sums = report::totals_of(report);
  brief.verdict = report::wait_verdict(report);
  for (const waits::FunctionRow& row : report.functions) {
    for (const std::string* name : {&row.function, &row.caller, &row.waker}) cut_name(brief, *name);
  }
  for (const waits::LockRow& lock : report.locks) cut_name(brief, lock.name);
  add_rows(brief, report, sums);
  add_ruled_out(brief, report, sums);
  brief.next = next_command(report, sums, commands);
  return brief;
}

// The steps of the path, summed up by state, thread and function.
Brief of_path(const waits::PathReport& path) {
  Brief brief;
  const double length = static_cast<double>(path.length);
  brief.verdict.push_back(fmt::format("the critical path of {} took {}", path.of, report::wait_time_text(path.length)));
  if (!path.sums.empty()) {
    const waits::PathSum& most = path.sums.front();
    brief.verdict.push_back(fmt::format("most of it, {}: {} {}{}", text::share(static_cast<double>(most.total), length),
                                        most.thread, name_of(most.state),
                                        most.function.empty() ? "" : " in " + most.function));
    cut_name(brief, most.thread);
    cut_name(brief, most.function);
  }
  fill_table(brief, path.sums, [&](report::Columns& to, const waits::PathSum& sum) {
    to.string({.text = "%", .align = report::Align::right},
              text::fixed(length == 0 ? 0 : 100 * static_cast<double>(sum.total) / length, 1));
    to.string({.text = "total", .align = report::Align::right}, report::wait_time_text(sum.total));
    to.count({"count"}, sum.count);
    to.string({"state"}, name_of(sum.state));
    to.word({"thread"}, sum.thread);
    to.word({"function"}, sum.function);
  });
  brief.heading = "Parts of the critical path (times are exact):";
  return brief;
}

}  // namespace

Brief of_waits(const WaitReport& report, const stacks::RecordingAbout* about, const Commands& commands) {
  Brief brief = report.path.has_value() ? of_path(*report.path) : of_threads(report, commands);
  brief.all = commands.all;
  if (const std::string ran = about != nullptr ? report::run_text(*about) : ""; !ran.empty())
    brief.verdict.insert(brief.verdict.begin() + 1, ran);
  const std::vector<std::string> lines = report::wait_lines(report);
  brief.lost.assign(lines.begin() + (report::has_losses(report) ? 0 : 1), lines.end());
  return brief;
}

}  // namespace wperf::brief
