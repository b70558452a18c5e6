// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace wperf::compare {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method; converges quickly for x below the mean.
// The number of steps grows with the square root of a and b.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  constexpr int kMostSteps = 200'000;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int step = 1; step < kMostSteps; ++step) {
    const double m = step;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return fraction;
}

// Bisects a function that falls from `low` to `high`, to the full precision of a double.
template <typename Falling>
double where_falls_to(double wanted, double low, double high, const Falling& falling) {
  for (int step = 0; step < 2000 && high - low > 1e-15 * std::abs(high); ++step) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (falling(middle) > wanted ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Convert a tail of Student's t distribution to the corresponding tail of the normal distribution, and vice versa.
double as_normal_tail(double student_tail, double degrees) {
  return std::isinf(degrees) ? student_tail : normal_above(student_bound(student_tail, degrees));
}
double as_student_tail(double normal_tail, double degrees) {
  return std::isinf(degrees) ? normal_tail : student_above(normal_bound(normal_tail), degrees);
}

double odds(double share) {
  return share >= 1 ? kInfinite : share / (1 - share);
}

constexpr usize kMostExact = 60;

// Twice the rank of each value, `before` first. Equal values share the mean of their ranks, so twice the rank is an
// integer.
std::vector<u32> doubled_ranks(std::span<const double> before, std::span<const double> after) {
  std::vector<double> values(before.begin(), before.end());
  values.insert(values.end(), after.begin(), after.end());
  std::vector<u32> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return values[a] < values[b]; });
  std::vector<u32> ranks(values.size());
  for (usize begin = 0; begin < order.size();) {
    usize end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (usize at = begin; at < end; ++at) ranks[order[at]] = static_cast<u32>(begin + end + 1);
    begin = end;
  }
  return ranks;
}

// For each sum: the number of ways to choose `chosen` ranks with this sum.
std::vector<double> ways_by_sum(const std::vector<u32>& ranks, usize chosen) {
  const usize most = std::accumulate(ranks.begin(), ranks.end(), usize{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (const u32 rank : ranks) {
    for (usize count = chosen; count > 0; --count) {
      for (usize sum = most; sum >= rank; --sum) ways[count][sum] += ways[count - 1][sum - rank];
    }
  }
  return ways[chosen];
}

double exact_answer(const std::vector<u32>& ranks, usize chosen, double sum) {
  const std::vector<double> ways = ways_by_sum(ranks, chosen);
  const double mean = static_cast<double>(chosen) * static_cast<double>(ranks.size() + 1);
  double all = 0, as_far = 0;
  for (usize at = 0; at < ways.size(); ++at) {
    all += ways[at];
    if (std::abs(static_cast<double>(at) - mean) >= std::abs(sum - mean)) as_far += ways[at];
  }
  return as_far / all;
}

double approximate_answer(const std::vector<u32>& ranks, usize chosen, double sum) {
  const auto all = static_cast<double>(ranks.size()), few = static_cast<double>(chosen);
  double squares = 0;
  for (const u32 rank : ranks) squares += (rank - (all + 1)) * (rank - (all + 1));
  const double variance = few * (all - few) / (all * (all - 1)) * squares;
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(sum - few * (all + 1)) - 1);
  return std::min(1.0, 2 * normal_above(distance / std::sqrt(variance)));
}

std::vector<u32> plain_ranks(usize count) {
  std::vector<u32> ranks(count);
  for (usize at = 0; at < count; ++at) ranks[at] = static_cast<u32>(2 * (at + 1));
  return ranks;
}

// The number of differences that the interval leaves out at each end; 0 if it includes all differences.
usize left_out(usize before, usize after, double outside) {
  const usize all = before * after;
  if (before + after > kMostExact) {
    const double variance = static_cast<double>(all) * static_cast<double>(before + after + 1) / 12;
    const double below = static_cast<double>(all) / 2 - normal_bound(outside) * std::sqrt(variance) - 0.5;
    return below < 0 ? 0 : static_cast<usize>(below) + 1;
  }
  // Without equal values, twice the sum of ranks is even. It is smallest if U, the number of differences below 0, is 0.
  const std::vector<double> ways = ways_by_sum(plain_ranks(before + after), before);
  const double sum_of_ways = std::accumulate(ways.begin(), ways.end(), 0.0);
  double so_far = 0;
  for (usize u = 0; u <= all; ++u) {
    so_far += ways[before * (before + 1) + 2 * u];
    if (so_far / sum_of_ways > outside) return u;
  }
  return all / 2;
}

}  // namespace

double beta_below(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double beta_quantile(double a, double b, double below) {
  if (below <= 0) return 0;
  if (below >= 1) return 1;
  return where_falls_to(-below, 0, 1, [&](double x) { return -beta_below(a, b, x); });
}

double normal_above(double z) {
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

double normal_bound(double above) {
  constexpr double kFarthest = 38;  // a smaller tail is not representable as a double
  if (above > 0.5) return -normal_bound(1 - above);
  return where_falls_to(above, 0, kFarthest, normal_above);
}

double student_above(double t, double degrees) {
  if (std::isinf(degrees)) return normal_above(t);
  if (t < 0) return 1 - student_above(-t, degrees);
  return beta_below(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
}

double student_bound(double above, double degrees) {
  if (std::isinf(degrees)) return normal_bound(above);
  if (above > 0.5) return -student_bound(1 - above, degrees);
  double high = 1;
  while (student_above(high, degrees) > above && high < 1e300) high *= 2;
  return where_falls_to(above, 0, high, [&](double t) { return student_above(t, degrees); });
}

// Asymptotic series above 10, recurrence below.
double digamma(double x) {
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double s = 1 / (x * x);
  return sum + std::log(x) - 1 / (2 * x) -
         s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s / 132))));
}

double trigamma(double x) {
  double sum = 0;
  for (; x < 10; ++x) sum += 1 / (x * x);
  const double s = 1 / (x * x);
  return sum + 1 / x + s / 2 + s / x * (1.0 / 6 - s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30 - s * 5 / 66))));
}

double trigamma_inverse(double y) {
  if (y <= 0) return std::numeric_limits<double>::infinity();
  double high = 1;
  while (trigamma(high) > y && high < 1e15) high *= 2;
  return where_falls_to(y, std::min(1e-8, 1 / y), high, trigamma);
}

// For a given total of both sides, the number of samples in `after` has a binomial distribution. Its odds are the ratio
// of rates times the ratio of exposures. Counts are divided by their scatter; if the scatter was estimated, Student's t
// replaces the normal distribution.
double rate_answer(const MeasuredRates& rates, const Scatter& scatter) {
  const double before = rates.before / scatter.factor, after = rates.after / scatter.factor;
  if (!(rates.exposure_before > 0) || !(rates.exposure_after > 0) || before + after <= 0) return 1;
  const double expected = rates.exposure_after / (rates.exposure_before + rates.exposure_after);
  // P(X >= after) and P(X <= after) if nothing changed.
  const double above = after > 0 ? beta_below(after, before + 1, expected) : 1;
  const double below = before > 0 ? beta_below(before, after + 1, 1 - expected) : 1;
  return std::min(1.0, 2 * as_student_tail(std::min({above, below, 0.5}), scatter.degrees));
}

RateChange compare_rates(const MeasuredRates& rates, const Scatter& scatter, double confidence) {
  const double exposures = rates.exposure_after / rates.exposure_before;
  const double before = rates.before / scatter.factor, after = rates.after / scatter.factor;
  RateChange change{.low = 0, .high = kInfinite, .answer = rate_answer(rates, scatter)};
  if (!(rates.exposure_before > 0) || !(rates.exposure_after > 0) || before + after <= 0) return change;
  change.ratio = before > 0 ? after / before / exposures : kInfinite;
  const double outside = as_normal_tail((1 - confidence) / 2, scatter.degrees);
  if (after > 0) change.low = odds(beta_quantile(after, before + 1, outside)) / exposures;
  // Computed from the share of the other side, which is more precise if this side has nearly all samples.
  if (before > 0) change.high = 1 / odds(beta_quantile(before, after + 1, outside)) / exposures;
  return change;
}

double detectable_ratio(const MeasuredRates& rates, const Scatter& scatter, double confidence) {
  // With counts at the rate before, a ratio r = 1 + d is detected if d² >= z² · scatter · (1 + r · exposures) / count.
  const double exposures = rates.exposure_before / rates.exposure_after;
  const double expected_before = (rates.before + rates.after) * exposures / (1 + exposures);
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

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double rank_test(std::span<const double> before, std::span<const double> after) {
  if (before.empty() || after.empty()) return 1;
  const std::vector<u32> ranks = doubled_ranks(before, after);
  double sum = 0;
  for (usize at = 0; at < before.size(); ++at) sum += ranks[at];
  return ranks.size() > kMostExact ? approximate_answer(ranks, before.size(), sum)
                                   : exact_answer(ranks, before.size(), sum);
}

double smallest_rank_answer(usize before, usize after) {
  double ways = 1;
  for (usize at = 1; at <= std::min(before, after); ++at)
    ways *= static_cast<double>(before + after + 1 - at) / static_cast<double>(at);
  return std::min(1.0, 2 / ways);
}

Shift shift_between(std::span<const double> before, std::span<const double> after, double confidence) {
  std::vector<double> differences;
  differences.reserve(before.size() * after.size());
  for (const double a : before) {
    for (const double b : after) differences.push_back(b - a);
  }
  constexpr double kNoEnd = std::numeric_limits<double>::infinity();
  if (differences.empty()) return {0, -kNoEnd, kNoEnd};
  std::sort(differences.begin(), differences.end());
  const usize count = differences.size();
  Shift shift{.median = (differences[(count - 1) / 2] + differences[count / 2]) / 2};
  const usize out = left_out(before.size(), after.size(), (1 - confidence) / 2);
  shift.low = out == 0 ? -kNoEnd : differences[out - 1];
  shift.high = out == 0 ? kNoEnd : differences[count - out];
  return shift;
}

}  // namespace wperf::compare
