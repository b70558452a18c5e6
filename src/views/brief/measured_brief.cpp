// SPDX-License-Identifier: BSD-3-Clause
// `topdown`, `stat` and `doctor`: nodes of the pipeline, counts, checks.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/event_class.h"
#include "ground/text/number_text.h"
#include "views/brief/brief.h"
#include "views/report/count_derived.h"

namespace wperf::brief {
namespace {

using answers::Check;
using answers::CheckStatus;
using answers::CountRow;

// Adds, as ruled out, nodes that lost little even at the upper end of their interval.
void add_small_nodes(Brief& brief, const topdown::Drill& drill) {
  for (const u32 root : drill.method().roots) {
    const topdown::Share& share = drill.shares()[root];
    if (!share.is_sure() || share.high >= topdown::kWorthASearch) continue;
    brief.ruled_out.push_back(fmt::format("{}: {} %, at most {} %", drill.method().nodes[root].metric.name,
                                          report::topdown_percent(share), text::fixed(share.high, 1)));
  }
}

std::string next_of_kind(const report::Topdown& kind, const Commands& commands) {
  if (commands.program.empty()) return commands.all;
  if (kind.drill.waits_for_memory() && kind.answer.memory.has_value())
    return "wperf record -e arm_spe_0// --mem -- " + commands.program;
  const std::string_view event = kind.drill.event_of_worst();
  return event.empty() ? "wperf record -- " + commands.program
                       : fmt::format("wperf record -e {} --annotate -- {}", event, commands.program);
}

// The rows for all units of a class: the sums, or the rows of the only unit.
const std::vector<CountRow>& rows_of(const answers::ClassCounts& counts) {
  static const std::vector<CountRow> kNone;
  if (!counts.overall.empty()) return counts.overall;
  return counts.units.empty() ? kNone : counts.units.front().rows;
}

std::string estimate_text(const CountRow& row) {
  if (!row.counted()) return "not counted";
  if (row.fraction >= 1) return "exact";
  if (!row.has_interval) return fmt::format("estimate, {} % of the time", text::fixed(100 * row.fraction, 1));
  return fmt::format("{} to {}", text::with_commas(text::whole_count(row.low)),
                     text::with_commas(text::whole_count(row.high)));
}

// A row with its derived value, unless that is only a rate.
struct CountedRow {
  const CountRow* row;
  std::string says;
};

std::vector<CountedRow> counted_rows(const answers::CountProfile& profile) {
  std::vector<CountedRow> rows;
  for (const answers::ClassCounts& counts : profile.classes) {
    const std::vector<CountRow>& own = rows_of(counts);
    for (const CountRow& row : own) {
      if (report::repeats_cycles(row, own)) continue;
      const auto derived = report::derive(row, own, profile.elapsed_seconds);
      const bool is_rate = derived.has_value() && derived->unit == "per second";
      rows.push_back({&row, is_rate ? "" : report::derived_text(row, own, profile.elapsed_seconds)});
    }
  }
  return rows;
}

}  // namespace

Brief of_topdown(std::span<const report::Topdown> kinds, const Commands& commands) {
  Brief brief{.all = commands.all};
  if (kinds.empty()) {
    brief.verdict.emplace_back("no core was counted");
    return brief;
  }
  for (const report::Topdown& kind : kinds) {
    brief.verdict.push_back(report::topdown_verdict(kind.drill));
    if (std::string group = report::topdown_group_verdict(kind.drill); !group.empty())
      brief.verdict.push_back(std::move(group));
    brief.verdict.push_back(report::topdown_headline(kind));
    brief.lost.insert(brief.lost.end(), kind.answer.notes.begin(), kind.answer.notes.end());
    if (std::string missing = report::missing_samples(kind.answer.where); !missing.empty())
      brief.lost.push_back(std::move(missing));
    add_small_nodes(brief, kind.drill);
  }
  const report::Topdown& first = kinds.front();
  fill_table(brief, report::counted_nodes(first.drill), report::NodeColumns{first.drill});
  brief.heading = fmt::format("Shares on {} ({}):", first.answer.core,
                              first.answer.took_turns ? "95 % intervals" : "no multiplexing");
  brief.next = next_of_kind(first, commands);
  return brief;
}

Brief of_counts(const answers::CountProfile& profile, const Commands& commands) {
  Brief brief{.all = commands.all};
  const std::string where = profile.process.has_value()
                                ? (profile.program.empty() ? "the program" : profile.program)
                                : fmt::format("{} core{}", profile.core_count, profile.core_count == 1 ? "" : "s");
  brief.verdict.push_back(fmt::format("counted {} for {}", where, text::duration(profile.elapsed_seconds)));
  cut_name(brief, where);
  const std::vector<CountedRow> rows = counted_rows(profile);
  for (const CountedRow& one : rows) {
    if (!one.says.empty()) brief.verdict.push_back(one.row->name + ": " + one.says);
  }
  fill_table(brief, rows, [](report::Columns& to, const CountedRow& one) {
    const CountRow& row = *one.row;
    to.string({.text = "count", .align = report::Align::right},
              row.counted() ? text::with_commas(row.fraction < 1 ? row.scaled : row.value) : "-");
    to.string({"95 % interval"}, estimate_text(row));
    to.string({"event"}, row.name);
    to.word({"note"}, row.note);
  });
  brief.heading = "Counts:";
  brief.lost = profile.remarks;
  for (std::string& note : report::count_notes(profile)) brief.lost.push_back(std::move(note));
  const bool all_exact =
      std::ranges::all_of(rows, [](const CountedRow& one) { return one.row->counted() && one.row->fraction >= 1; });
  if (all_exact && !rows.empty()) brief.ruled_out.emplace_back("estimates: every event was counted all the time");
  brief.next = commands.program.empty() ? "wperf record --timeout 10" : "wperf record -g -- " + commands.program;
  return brief;
}

Brief of_checks(std::span<const Check> checks, const Commands& commands) {
  Brief brief{.all = commands.all};
  std::vector<Check> open, passed;
  for (const Check& check : checks) (check.status == CheckStatus::ok ? passed : open).push_back(check);
  // Failures come before warnings.
  std::stable_sort(open.begin(), open.end(), [](const Check& a, const Check& b) { return a.status > b.status; });
  const auto failures = std::ranges::count(open, CheckStatus::fail, &Check::status);
  brief.verdict.push_back(failures != 0  ? "this machine cannot measure in its current state: " + open.front().detail
                          : open.empty() ? "all checks passed"
                                         : fmt::format("this machine can measure, with {} limit{}", open.size(),
                                                       open.size() == 1 ? "" : "s"));
  fill_table(brief, open, [](report::Columns& to, const Check& check) {
    to.string({"check"}, check.name);
    to.string({"status"}, check.status == CheckStatus::fail ? "failed" : "limit");
    to.string({"detail"}, check.detail);
    to.word({"remedy"}, check.fix);
  });
  brief.heading = "Failed checks and limits:";
  for (const Check& check : passed) brief.ruled_out.push_back(check.name + ": " + check.detail);
  brief.next = failures != 0 ? "wperf doctor --fix" : "wperf record -- ./program";
  return brief;
}

}  // namespace wperf::brief
