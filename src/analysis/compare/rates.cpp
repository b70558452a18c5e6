// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/rates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/compare/distributions.h"

namespace wperf::compare {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The tail of the normal distribution that is as far out as this tail of Student's, and the reverse.
double as_normal_tail(double student_tail, double degrees) {
  return std::isinf(degrees) ? student_tail : normal_above(student_bound(student_tail, degrees));
}
double as_student_tail(double normal_tail, double degrees) {
  return std::isinf(degrees) ? normal_tail : student_above(normal_bound(normal_tail), degrees);
}

double odds(double share) {
  return share >= 1 ? kInfinite : share / (1 - share);
}

}  // namespace

// Given the samples of both sides, the share of `after` is binomial; its odds are the ratio of rates × that of
// exposures. Counts are divided by their scatter; if that was estimated, Student's t replaces the normal distribution.
double rate_answer(const SeenRates& seen, const Scatter& scatter) {
  const double before = seen.before / scatter.factor, after = seen.after / scatter.factor;
  if (!(seen.exposure_before > 0) || !(seen.exposure_after > 0) || before + after <= 0) return 1;
  const double expected = seen.exposure_after / (seen.exposure_before + seen.exposure_after);
  // P(X >= after) and P(X <= after) if nothing changed.
  const double above = after > 0 ? beta_below(after, before + 1, expected) : 1;
  const double below = before > 0 ? beta_below(before, after + 1, 1 - expected) : 1;
  return std::min(1.0, 2 * as_student_tail(std::min({above, below, 0.5}), scatter.degrees));
}

RateChange compare_rates(const SeenRates& seen, const Scatter& scatter, double confidence) {
  const double exposures = seen.exposure_after / seen.exposure_before;
  const double before = seen.before / scatter.factor, after = seen.after / scatter.factor;
  RateChange change{.low = 0, .high = kInfinite, .answer = rate_answer(seen, scatter)};
  if (!(seen.exposure_before > 0) || !(seen.exposure_after > 0) || before + after <= 0) return change;
  change.ratio = before > 0 ? after / before / exposures : kInfinite;
  const double outside = as_normal_tail((1 - confidence) / 2, scatter.degrees);
  if (after > 0) change.low = odds(beta_quantile(after, before + 1, outside)) / exposures;
  // Computed from the other side's share, which has more exact digits if this side has nearly all.
  if (before > 0) change.high = 1 / odds(beta_quantile(before, after + 1, outside)) / exposures;
  return change;
}

double detectable_ratio(const SeenRates& seen, const Scatter& scatter, double confidence) {
  // In terms of the rate before, r = 1 + d is detected if d² >= z² · scatter · (1 + r · exposures) / count.
  const double exposures = seen.exposure_before / seen.exposure_after;
  const double expected_before = (seen.before + seen.after) * exposures / (1 + exposures);
  if (!(expected_before > 0) || !(exposures > 0)) return kInfinite;
  const double z = student_bound((1 - confidence) / 2, scatter.degrees) + normal_bound(1 - kDetectionPower);
  const double k = z * z * scatter.factor / expected_before;
  const double linear = k * exposures;
  return 1 + (linear + std::sqrt(linear * linear + 4 * k * (1 + exposures))) / 2;
}

std::vector<bool> found_among(std::span<const double> answers, double wrong_share) {
  std::vector<u32> order(answers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return answers[a] < answers[b]; });
  std::vector<bool> found(answers.size(), false);
  usize count = 0;
  for (usize at = 0; at < order.size(); ++at) {
    if (answers[order[at]] <= wrong_share * static_cast<double>(at + 1) / static_cast<double>(order.size()))
      count = at + 1;
  }
  for (usize at = 0; at < count; ++at) found[order[at]] = true;
  return found;
}

}  // namespace wperf::compare
