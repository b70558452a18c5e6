// SPDX-License-Identifier: BSD-3-Clause
// The costs of functions, modules and lines of one event on both sides, how significant each change is, and which runs
// have less weight. Pure.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/dispersion.h"

namespace wperf::compare {

struct EventRuns {
  std::vector<const RunCosts*> runs;     // those of `before` first
  std::vector<const EventCosts*> costs;  // costs of the event, by run
  const MatchedUnits& matched;
  double period_before = 1, period_after = 1;  // the mean cost of a sample
  Runs measures;                               // the divisors of costs
  bool is_one_run = false;
  const ComparisonOptions& options;
};

// Fills the rows of `change`, which has its event and its unit. Remarks about runs go to `notes`.
void compare_units(EventRuns event, EventChange& change, std::vector<std::string>& notes);

// The probability, if nothing changed, that all runs of a side count the same, and those of the other side the same
// other number. It is at most 2 · x^before · (1 - x)^after for the worst x, which is the share of runs with such a
// count.
double exact_answer_of(usize before, usize after);

// A second look at which totals changed significantly, after compare_runs and before the gate: counts that repeat
// exactly prove more than their order does. Times are one family of tests, counts of events another, because every
// comparison asks how long a run took.
void find_totals(std::vector<TotalChange>& totals);

void review_totals(Comparison& comparison, const ComparisonOptions& options);

}  // namespace wperf::compare
