// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/options_builder.h"
#include "app/fleet/fleet_answer.h"
#include "app/show/comparison_output.h"

namespace wperf::commands {
namespace {

// Two files do not need a separator.
diag::Result<void> check_sides(request::Comparison& comparison) {
  if (!comparison.has_sides && comparison.before.size() == 2) {
    comparison.after.push_back(std::move(comparison.before.back()));
    comparison.before.pop_back();
  }
  for (const auto* side : {&comparison.before, &comparison.after}) {
    for (auto file = side->begin(); file != side->end(); ++file) {
      if (std::find(side->begin(), file, *file) == file) continue;
      return diag::usage_error(*file + " is given twice on one side, but it is only one run",
                               "make one recording per run");
    }
  }
  if (!comparison.before.empty() && !comparison.after.empty()) return {};
  const bool is_several = !comparison.has_sides && comparison.before.size() > 2;
  return diag::usage_error(is_several ? "diff cannot tell which of these files are from before and which from after"
                                      : "diff compares two recordings, or several per side",
                           is_several
                               ? "separate the sides with --: wperf diff OLD1 OLD2 OLD3 OLD4 -- NEW1 NEW2 NEW3 NEW4"
                               : "wperf diff BEFORE AFTER");
}

// Rows are always functions and modules; only the key `line` has an effect, because it adds lines.
void warn_of_sort_keys(const request::Request& request, diag::Console& console) {
  using request::SortBy;
  const std::vector<SortBy>& keys = request.recording.sort;
  const auto is_known = [](SortBy key) {
    return key == SortBy::module || key == SortBy::symbol || key == SortBy::line;
  };
  if (std::all_of(keys.begin(), keys.end(), is_known)) return;
  console.warn("warning: diff ignores --sort keys other than line, which adds source lines");
}

}  // namespace

diag::Result<int> run_diff(const request::Request& asked, diag::Console& console) {
  return run_diff(asked, nullptr, console);
}

diag::Result<int> run_diff(const request::Request& asked, show::KeptRuns* kept, diag::Console& console) {
  request::Request request = asked;
  request::Comparison& comparison = request.comparison;
  WPERF_CHECK_OK(check_sides(comparison));
  warn_of_sort_keys(request, console);
  show::ComparisonOptions options = comparison_options(request, console);
  options.kept = kept;
  options.open = [&](const std::string& name, diag::Console& heard) -> diag::Result<recording::OpenedRecording> {
    WPERF_TRY(fleet::Opened opened, fleet::open_any({.name = name}, request.push, fleet::Detail::hosts, heard));
    return std::move(opened.recording);
  };
  WPERF_TRY(show::ComparedRuns runs, show::read_compared_runs(comparison.before, comparison.after, options, console));
  return show::show_comparison(std::move(runs.before), std::move(runs.after), options, console);
}

}  // namespace wperf::commands
