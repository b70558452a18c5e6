// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/total_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace wperf::compare {
namespace {

bool are_all(const std::vector<double>& values, double value) {
  return std::all_of(values.begin(), values.end(), [&](double one) { return one == value; });
}

bool is_exact_change(const TotalChange& total) {
  return total.is_counted && !total.before.empty() && !total.after.empty() &&
         total.before.front() != total.after.front() && are_all(total.before, total.before.front()) &&
         are_all(total.after, total.after.front());
}

// Includes events that are clocks: task-clock repeats cpu-time, so both are judged in the same way.
bool is_time(const TotalChange& total) {
  return total.unit != CostUnit::count;
}

// Totals with the same value in all runs (for example no page faults) do not count as tests.
std::vector<TotalChange*> asked_of(std::vector<TotalChange>& totals, bool times) {
  std::vector<TotalChange*> asked;
  for (TotalChange& total : totals) {
    if (is_time(total) != times) continue;
    if (!are_all(total.before, total.before.front()) || !are_all(total.after, total.before.front()))
      asked.push_back(&total);
  }
  return asked;
}

// Explains why a total that differs in all runs is not significant although it would be significant as the only test.
void note_few_runs(const std::vector<TotalChange*>& asked, std::string_view what, std::vector<std::string>& notes) {
  if (asked.empty()) return;
  const usize before = asked.front()->before.size(), after = asked.front()->after.size();
  const double smallest = smallest_rank_answer(before, after), needed = kWrongShare / static_cast<double>(asked.size());
  if (smallest <= needed) return;
  constexpr double kRounding = 1 + 1e-9;
  std::string names;
  for (const TotalChange* total : asked) {
    if (!total->is_significant && total->answer <= smallest * kRounding)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", total->event);
  }
  if (names.empty()) return;
  usize enough = std::min(before, after);
  while (smallest_rank_answer(enough, enough) > needed) ++enough;
  const std::string runs = before == after ? fmt::format("{} runs per side", before)
                                           : fmt::format("{} runs before and {} after", before, after);
  notes.push_back(
      fmt::format("{}: the two sides do not overlap, but with {} that may be chance for one of {} {}; take at least {} "
                  "runs per side.",
                  names, runs, asked.size(), what, enough));
}

}  // namespace

double exact_answer_of(usize before, usize after) {
  const auto few = static_cast<double>(before), others = static_cast<double>(after), all = few + others;
  return std::min(1.0, 2 * std::pow(few / all, few) * std::pow(others / all, others));
}

void find_totals(std::vector<TotalChange>& totals) {
  for (const bool times : {true, false}) {
    const std::vector<TotalChange*> asked = asked_of(totals, times);
    std::vector<double> answers;
    for (const TotalChange* total : asked) answers.push_back(total->answer);
    const std::vector<bool> found = found_among(answers, kWrongShare);
    for (usize i = 0; i < found.size(); ++i) asked[i]->is_significant = found[i];
  }
}

void review_totals(Comparison& comparison, const ComparisonOptions& options) {
  std::vector<std::string>& notes = comparison.notes;
  if (!comparison.is_one_run) {
    for (TotalChange& total : comparison.totals) {
      if (is_exact_change(total))
        total.answer = std::min(total.answer, exact_answer_of(total.before.size(), total.after.size()));
    }
    find_totals(comparison.totals);
    note_few_runs(asked_of(comparison.totals, true), "times", notes);
    note_few_runs(asked_of(comparison.totals, false), "counts", notes);
  }
  const bool has_counts = std::any_of(comparison.totals.begin(), comparison.totals.end(), [](const TotalChange& total) {
    return total.is_counted && total.unit != CostUnit::seconds;
  });
  if (options.per == Per::share && has_counts)
    notes.emplace_back("--per share: counts have no share, so they are compared per run.");
}

}  // namespace wperf::compare
