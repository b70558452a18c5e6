// SPDX-License-Identifier: BSD-3-Clause
// Decides again, between compare_runs and the gate, which totals changed significantly: exactly repeated counts prove
// more than their ranks show. Times and event counts are separate families of tests, because every comparison includes
// times.
#pragma once
#include <vector>

#include "analysis/compare/comparison.h"

namespace wperf::compare {

// The probability that all runs of one side have the same count and all runs of the other side have another count, if
// nothing changed. It is at most 2 · x^before · (1 - x)^after for the worst x, the share of runs with the first count.
double exact_answer_of(usize before, usize after);

void find_totals(std::vector<TotalChange>& totals);

void review_totals(Comparison& comparison, const ComparisonOptions& options);

}  // namespace wperf::compare
