// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace wperf::compare {
namespace {

// By Lentz's method; converges quickly for x below the mean. Steps grow with the root of a and b.
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

// Bisection of a function that falls from `low` to `high`, to all digits of a double.
template <typename Falling>
double where_falls_to(double wanted, double low, double high, const Falling& falling) {
  for (int step = 0; step < 2000 && high - low > 1e-15 * std::abs(high); ++step) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (falling(middle) > wanted ? low : high) = middle;
  }
  return low + (high - low) / 2;
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
  constexpr double kFarthest = 38;  // a double cannot represent a smaller tail
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

// Asymptotic series above 10, the recurrence below.
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

}  // namespace wperf::compare
