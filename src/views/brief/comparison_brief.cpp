// SPDX-License-Identifier: BSD-3-Clause
// `diff` and `bench`: the significant changes.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ground/text/shell_words.h"
#include "views/brief/brief.h"
#include "views/report/diff_report.h"

namespace wperf::brief {
namespace {

using compare::Comparison;
using compare::EventChange;
using compare::UnitChange;

// A significant change of a function, with its event.
struct Found {
  const EventChange* event;
  const UnitChange* row;
};

std::vector<Found> sure_changes(const Comparison& comparison) {
  std::vector<Found> found;
  for (const EventChange& event : comparison.events) {
    for (const UnitChange& row : event.functions) {
      if (row.is_significant) found.push_back({&event, &row});
    }
  }
  return found;
}

void add_rows(Brief& brief, const Comparison& comparison, const std::vector<Found>& found) {
  if (found.empty()) {
    const report::TotalColumns columns{comparison, report::DiffFace::page};
    fill_table(brief, comparison.totals, columns);
    brief.heading = "Totals:";
    return;
  }
  fill_table(brief, found, [](report::Columns& to, const Found& one) {
    to.string({"function"}, one.row->name + (one.row->note.empty() ? "" : "; " + one.row->note));
    report::ChangeColumns{*one.event, report::DiffFace::markdown}(to, *one.row);
    to.string({"event"}, one.event->event);
  });
  brief.heading = fmt::format("Sure changes of functions ({}):", report::per_words(comparison.events.front().per));
}

void add_ruled_out(Brief& brief, const Comparison& comparison) {
  for (const compare::TotalChange& total : comparison.totals) {
    if (!total.has_interval || total.is_significant) continue;
    brief.ruled_out.push_back(
        fmt::format("a change of {} outside {}", total.event, report::interval_text(total.low, total.high)));
  }
}

void add_doubts(Brief& brief, const Comparison& comparison) {
  if (const std::string_view one_run = report::one_run_text(comparison); !one_run.empty())
    brief.lost.emplace_back(one_run);
  brief.lost.insert(brief.lost.end(), comparison.notes.begin(), comparison.notes.end());
  for (const EventChange& event : comparison.events) {
    brief.lost.insert(brief.lost.end(), event.nameless.begin(), event.nameless.end());
    brief.lost.push_back(fmt::format("{}: {}", event.event, report::sensitivity_text(event)));
  }
}

std::string next_command(const Comparison& comparison, const std::vector<Found>& found, const Commands& commands) {
  const bool are_files = !commands.recording.empty() && !comparison.files_after.empty();
  const auto grown = std::ranges::find_if(found, [](const Found& one) { return one.row->difference() > 0; });
  const auto is_sure = [](const compare::TotalChange& total) { return total.is_significant; };
  const bool is_open = std::ranges::any_of(comparison.totals, is_sure);
  // If only totals are known, suggests the command that shows functions.
  if (is_open && !commands.with_functions.empty()) return commands.with_functions;
  if (!are_files || grown == found.end()) return commands.all;
  return fmt::format("wperf report {} --annotate -s {}", text::quoted_word(comparison.files_after.front()),
                     text::quoted_word(grown->row->name));
}

}  // namespace

Brief of_comparison(const Comparison& comparison, std::span<const compare::Verdict> verdicts,
                    const Commands& commands) {
  Brief brief{.all = commands.all};
  const std::vector<Found> found = sure_changes(comparison);
  std::string headline = report::headline_text(comparison);
  brief.verdict.push_back(headline.empty() ? "no total can be compared" : std::move(headline));
  for (const compare::Verdict& verdict : verdicts)
    brief.verdict.push_back(fmt::format("condition {}: {}", verdict.condition, verdict.why));
  brief.verdict.push_back(report::sides_text(comparison));
  add_rows(brief, comparison, found);
  add_doubts(brief, comparison);
  add_ruled_out(brief, comparison);
  brief.next = next_command(comparison, found, commands);
  return brief;
}

}  // namespace wperf::brief
