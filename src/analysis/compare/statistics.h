// SPDX-License-Identifier: BSD-3-Clause
// Statistics of comparisons: distributions, rates of samples, orders of runs. Pure.
//
// The distributions are computed from std::lgamma and std::erfc only (docs/decisions/0018). Tails keep their relative
// precision, because values that are corrected for many tests are small.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::compare {

// P(X <= x) of a beta distribution; a, b > 0.
double beta_below(double a, double b, double x);
// The x below which a share of `below` lies.
double beta_quantile(double a, double b, double below);

// P(Z > z), and the z that has such a tail above it.
double normal_above(double z);
double normal_bound(double above);

// The same for Student's t distribution. Infinite degrees of freedom give the normal distribution.
double student_above(double t, double degrees);
double student_bound(double above, double degrees);

// For a variance that shrinks towards others: the derivatives of ln gamma for x > 0, and the inverse of trigamma.
double digamma(double x);
double trigamma(double x);
double trigamma_inverse(double y);

// Compares how often something was seen on two sides: exact conditional binomial, with counts that may scatter more or
// less than by chance.
//
// The samples of one thing, and the measure they are related to: all samples, seconds, instructions, runs.
struct SeenRates {
  double before = 0, after = 0;                    // samples
  double exposure_before = 0, exposure_after = 0;  // in any unit, both in the same
};

// How much counts scatter beyond chance (variance ÷ count), and the degrees of freedom of that estimate: infinite if it
// was not estimated.
struct Scatter {
  double factor = 1;
  double degrees = std::numeric_limits<double>::infinity();
};

struct RateChange {
  double ratio = 1;          // after ÷ before; infinite if it did not exist before
  double low = 0, high = 0;  // interval of the ratio; high may be infinite
  double answer = 1;         // the probability of so great a change if nothing changed
};
// For all compared things; `compare_rates` takes longer, and also gives the interval, for those that are shown.
double rate_answer(const SeenRates& seen, const Scatter& scatter);
RateChange compare_rates(const SeenRates& seen, const Scatter& scatter, double confidence);

// The smallest ratio above 1 that counts like these would show four times in five, at this confidence.
double detectable_ratio(const SeenRates& seen, const Scatter& scatter, double confidence);
inline constexpr double kDetectionPower = 0.8;

// Benjamini and Hochberg: marks as significant so many answers that at most this share of them is wrong.
std::vector<bool> found_among(std::span<const double> answers, double wrong_share);

// Compares two sides of a few runs each by their order, without assumptions about how runs differ.
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
