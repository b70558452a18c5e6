// SPDX-License-Identifier: BSD-3-Clause
// Compares two sides of a few runs each by their order, without assumptions about how runs differ. Pure.
#pragma once
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::compare {

double median_of(std::vector<double> values);  // 0 if there are no values

// Mann and Whitney's test: the probability of an order of the runs that is at least as uneven, if nothing changed;
// exact, also with equal values. Above 60 runs it uses the normal distribution.
double rank_test(std::span<const double> before, std::span<const double> after);

// The smallest probability that these numbers of runs can give. If it is above 0.05, no change can be significant.
double smallest_rank_answer(usize before, usize after);

// By how much `after` is greater: the median of all differences (Hodges and Lehmann), and the interval that fits the
// test. It excludes 0 exactly if the test gives less than 1 - confidence.
struct Shift {
  double median = 0;
  double low = 0, high = 0;  // infinite if these runs are too few for an end
};
Shift shift_between(std::span<const double> before, std::span<const double> after, double confidence);

}  // namespace wperf::compare
