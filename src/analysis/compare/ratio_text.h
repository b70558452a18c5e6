// SPDX-License-Identifier: BSD-3-Clause
// Ratios of costs for people: percentages, and "N times" from ten times on. Pure.
#pragma once
#include <string>

namespace wperf::compare {

// From kTimes on, a ratio is printed as a factor instead of a percentage; from kManyTimes on, without its exact value.
inline constexpr double kTimes = 10, kManyTimes = 1000;

std::string times_text(double ratio);                      // "28 times", "more than 1000 times"
std::string change_text(double ratio);                     // "+5.2 %", "28 times"
std::string ratio_interval_text(double low, double high);  // "+11.3 to +29.5 %", "+648 % or more"

}  // namespace wperf::compare
