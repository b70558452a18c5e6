// SPDX-License-Identifier: BSD-3-Clause
// A second look at the totals of a comparison: counts that repeat exactly tell more than their order, and what numbers
// alone would hide is noted. Pure. Called by show_comparison, between compare_runs and the gate.
#pragma once
#include <span>

#include "compare/comparison.h"

namespace wperf::compare {

// How probable it is that all runs of a side count the same, and those of the other side the same other number, where
// nothing changed: at most 2 · x^before · (1 - x)^after, whatever x is, the share of runs that count so.
double exact_answer_of(usize before, usize after);

void review_totals(Comparison& comparison, const ComparisonOptions& options);

}  // namespace wperf::compare
