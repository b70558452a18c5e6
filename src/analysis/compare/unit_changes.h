// SPDX-License-Identifier: BSD-3-Clause
// The costs of one event's functions, modules and lines on both sides, how significant each change is, and which runs
// have less weight. Pure.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/dispersion.h"

namespace wperf::compare {

struct EventRuns {
  std::vector<const RunCosts*> runs;     // those of `before` first
  std::vector<const EventCosts*> costs;  // by run: costs of the event
  const MatchedUnits& matched;
  double period_before = 1, period_after = 1;  // mean cost of a sample
  Runs measures;                               // divisors of the costs
  bool is_one_run = false;
  const ComparisonOptions& options;
};

// Fills the rows of `change`, whose event and unit are set. Remarks about runs are added to `notes`.
void compare_units(EventRuns event, EventChange& change, std::vector<std::string>& notes);

// The probability, if nothing changed, that all runs of one side have the same count and all runs of the other side
// have another one. It is at most 2 · x^before · (1 - x)^after for the worst x, the share of runs with the first count.
double exact_answer_of(usize before, usize after);

// Decides again which totals changed significantly, after compare_runs and before the gate, because counts that repeat
// exactly prove more than their ranks. Times are one family of tests and event counts another, because every comparison
// includes times.
void find_totals(std::vector<TotalChange>& totals);

void review_totals(Comparison& comparison, const ComparisonOptions& options);

}  // namespace wperf::compare
