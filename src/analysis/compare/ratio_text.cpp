// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/ratio_text.h"

#include <fmt/format.h>

#include <cmath>

namespace wperf::compare {
namespace {

std::string percent_number(double ratio) {
  const double percent = 100 * (ratio - 1);
  const double size = std::abs(percent);
  return fmt::format("{:+.{}f}", percent, size < 0.0995 && size > 0 ? 3 : size < 0.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace

std::string times_text(double ratio) {
  if (ratio > kManyTimes) return fmt::format("more than {:.0f} times", kManyTimes);
  return ratio < 999.5 ? fmt::format("{:.3g} times", ratio) : fmt::format("{:.0f} times", ratio);
}

std::string change_text(double ratio) {
  return ratio >= kTimes ? times_text(ratio) : percent_number(ratio) + " %";
}

std::string ratio_interval_text(double low, double high) {
  if (!(high < kManyTimes)) {
    if (low <= 0) return "unknown";
    return low > kManyTimes ? times_text(low) : change_text(low) + " or more";
  }
  return (high >= kTimes ? change_text(low) : percent_number(low)) + " to " + change_text(high);
}

}  // namespace wperf::compare
