// SPDX-License-Identifier: BSD-3-Clause
// Compares how often something was seen on two sides: exact conditional binomial, with counts that may scatter more or
// less than by chance. Pure.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::compare {

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

}  // namespace wperf::compare
