// SPDX-License-Identifier: BSD-3-Clause
// The distributions that comparisons need, from std::lgamma and std::erfc only (docs/decisions/0018). Tails keep their
// relative precision, because values that are corrected for many tests are small.
#pragma once
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

}  // namespace wperf::compare
