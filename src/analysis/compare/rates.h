// SPDX-License-Identifier: BSD-3-Clause
// How often something was seen on two sides, compared: exact conditional binomial, with counts that scatter more or
// less than chance alone would let them. Pure. Called by comparison.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::compare {

// What was seen of one thing, and the measure it is related to: all samples, seconds, instructions, runs.
struct SeenRates {
  double before = 0, after = 0;                    // samples
  double exposure_before = 0, exposure_after = 0;  // in any unit, both in the same
};

// How much more than by chance alone counts scatter (variance ÷ count), and of how much data that is known: infinite
// degrees of freedom where nothing was estimated.
struct Scatter {
  double factor = 1;
  double degrees = std::numeric_limits<double>::infinity();
};

struct RateChange {
  double ratio = 1;          // after ÷ before; infinite: there was none before
  double low = 0, high = 0;  // of the ratio; high may be infinite
  double answer = 1;         // how probable so great a change is where nothing changed
};
// Of all that was compared; `compare_rates` takes longer, and has an interval for those that are shown.
double rate_answer(const SeenRates& seen, const Scatter& scatter);
RateChange compare_rates(const SeenRates& seen, const Scatter& scatter, double confidence);

// The smallest ratio above 1 that counts like these would show four times in five, at this confidence.
double detectable_ratio(const SeenRates& seen, const Scatter& scatter, double confidence);
inline constexpr double kDetectionPower = 0.8;

// Benjamini and Hochberg: which answers may be called found, where of all that are, at most this share is wrong.
std::vector<bool> found_among(std::span<const double> answers, double wrong_share);

}  // namespace wperf::compare
