// SPDX-License-Identifier: BSD-3-Clause
// Which totals changed for sure. A second look at them: counts that repeat exactly tell more than their order. Pure.
// Called by compare_runs, and by show_comparison, between that and the gate.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"

namespace wperf::compare {

// How probable it is that all runs of a side count the same, and those of the other side the same other number, where
// nothing changed: at most 2 · x^before · (1 - x)^after, whatever x is, the share of runs that count so.
double exact_answer_of(usize before, usize after);

// Times are one family of tests, what events counted another: how long a run took is asked whatever else is.
void find_totals(std::vector<TotalChange>& totals);

void review_totals(Comparison& comparison, const ComparisonOptions& options);

}  // namespace wperf::compare
