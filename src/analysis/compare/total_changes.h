// SPDX-License-Identifier: BSD-3-Clause
// A second look at which totals changed significantly, after compare_runs and before the gate: counts that repeat
// exactly prove more than their order does. Times are one family of tests, counts of events another, because every
// comparison asks how long a run took.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"

namespace wperf::compare {

// The probability, if nothing changed, that all runs of a side count the same, and those of the other side the same
// other number. It is at most 2 · x^before · (1 - x)^after for the worst x, which is the share of runs with such a
// count.
double exact_answer_of(usize before, usize after);

void find_totals(std::vector<TotalChange>& totals);

void review_totals(Comparison& comparison, const ComparisonOptions& options);

}  // namespace wperf::compare
