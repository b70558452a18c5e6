// SPDX-License-Identifier: BSD-3-Clause
// Statistics for comparisons: distributions, rates of samples, ranks of runs. Pure.
//
// The distributions only need std::lgamma and std::erfc (docs/decisions/0018). Tails are computed with full relative
// precision, because corrections for many tests compare very small probabilities.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::compare {

inline constexpr double kConfidence = 0.95;

// P(X <= x) of a beta distribution; a and b must be positive.
double beta_below(double a, double b, double x);
// The x with P(X <= x) = `below`.
double beta_quantile(double a, double b, double below);

// P(Z > z) of the standard normal distribution, and the inverse function.
double normal_above(double z);
double normal_bound(double above);

// The same for Student's t distribution. Infinite degrees of freedom give the normal distribution.
double student_above(double t, double degrees);
double student_bound(double above, double degrees);

// For shrinking variances: the derivatives of ln gamma for x > 0, and the inverse of trigamma.
double digamma(double x);
double trigamma(double x);
double trigamma_inverse(double y);

// Compares the rates of two sides with the exact conditional binomial test. Counts may scatter more or less than chance
// explains.
//
// The samples of one item, and what they are relative to: all samples, seconds, instructions, or runs.
struct MeasuredRates {
  double before = 0, after = 0;                    // samples
  double exposure_before = 0, exposure_after = 0;  // in any unit, the same for both
};

// How much more counts scatter than chance explains (variance ÷ count), and the degrees of freedom of this estimate:
// infinite if the factor was not estimated.
struct Scatter {
  double factor = 1;
  double degrees = std::numeric_limits<double>::infinity();
};

struct RateChange {
  double ratio = 1;          // after ÷ before; infinite if there was nothing before
  double low = 0, high = 0;  // interval of the ratio; high may be infinite
  double answer = 1;         // probability of such a large change if nothing changed
};
// rate_answer() is fast enough for all compared items. compare_rates() is slower and also gives the interval, for the
// items that are shown.
double rate_answer(const MeasuredRates& rates, const Scatter& scatter);
RateChange compare_rates(const MeasuredRates& rates, const Scatter& scatter, double confidence);

// The smallest ratio above 1 that such counts would detect in four of five cases, at this confidence.
double detectable_ratio(const MeasuredRates& rates, const Scatter& scatter, double confidence);
inline constexpr double kDetectionPower = 0.8;

// Benjamini and Hochberg: marks answers as significant, of which at most the share `wrong_share` is expected to be
// wrong.
std::vector<bool> found_among(std::span<const double> answers, double wrong_share);

// Rank tests compare two sides with few runs each, without assumptions about the distribution.
double median_of(std::vector<double> values);  // 0 if there are no values

// Mann and Whitney's test. Returns the probability of ranks at least as uneven as these if nothing changed. The result
// is exact, also with equal values; above 60 runs the normal distribution is used.
double rank_test(std::span<const double> before, std::span<const double> after);

// The smallest probability that is possible with these numbers of runs. If it is above 0.05, no change can be
// significant.
double smallest_rank_answer(usize before, usize after);

// How much larger `after` is: the median of all differences (Hodges and Lehmann), and its interval. The interval
// excludes 0 if and only if rank_test() returns less than 1 - confidence.
struct Shift {
  double median = 0;
  double low = 0, high = 0;  // infinite if there are too few runs for a limit
};
Shift shift_between(std::span<const double> before, std::span<const double> after, double confidence);

}  // namespace wperf::compare
