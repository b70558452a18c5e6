// SPDX-License-Identifier: BSD-3-Clause
// Decides again which totals changed significantly, after compare_runs and before the gate, because counts that repeat
// exactly prove more than their ranks. Times are one family of tests and event counts another, because every comparison
// includes times.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"

namespace wperf::compare {

// The probability, if nothing changed, that all runs of one side have the same count and all runs of the other side
// have another one. It is at most 2 · x^before · (1 - x)^after for the worst x, the share of runs with the first count.
double exact_answer_of(usize before, usize after);

void find_totals(std::vector<TotalChange>& totals);

void review_totals(Comparison& comparison, const ComparisonOptions& options);

}  // namespace wperf::compare
