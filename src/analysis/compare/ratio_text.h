// SPDX-License-Identifier: BSD-3-Clause
// Ratios of costs as people read them: percentages, and from ten times on so many times. Pure. Called by the gate and
// by report's tables.
#pragma once
#include <string>

namespace wperf::compare {

// From here on a ratio is so many times and no percentage; and from there on no number that anyone reads.
inline constexpr double kTimes = 10, kManyTimes = 1000;

std::string times_text(double ratio);                      // "28 times", "more than 1000 times"
std::string change_text(double ratio);                     // "+5.2 %", "28 times"
std::string ratio_interval_text(double low, double high);  // "+11.3 to +29.5 %", "+648 % or more"

}  // namespace wperf::compare
