// SPDX-License-Identifier: BSD-3-Clause
#include "compare/dispersion.h"

#include <algorithm>
#include <cmath>

#include "compare/distributions.h"

namespace wperf::compare {
namespace {

// Sampling by counters is nearly exact in a program that repeats itself; but samples are whole numbers.
constexpr double kLeastVariance = 0.25;
// Fewer things tell nothing of each other.
constexpr usize kFewestToShare = 10;

// What the runs of each side should have had, were they all alike.
std::vector<double> expected_samples(const RunCounts& counts, const Runs& runs) {
  std::vector<double> expected(counts.samples.size());
  for (const bool is_before : {true, false}) {
    const usize begin = is_before ? 0 : runs.before, end = is_before ? runs.before : counts.samples.size();
    double seen = 0, exposure = 0;
    for (usize run = begin; run < end; ++run) {
      seen += counts.samples[run];
      exposure += runs.exposures[run];
    }
    for (usize run = begin; run < end; ++run) expected[run] = exposure > 0 ? runs.exposures[run] * seen / exposure : 0;
  }
  return expected;
}

// The sum of squared differences, each in units of its variance.
double misfit(const RunCounts& counts, const std::vector<double>& expected, double of_mean) {
  double sum = 0;
  for (usize run = 0; run < expected.size(); ++run) {
    const double mean = expected[run], difference = counts.samples[run] - mean;
    if (mean > 0) sum += difference * difference / std::max(kLeastVariance, mean + of_mean * mean * mean);
  }
  return sum;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// A variance of its own for each thing, drawn towards that of all.
struct Prior {
  double scatter = 1, degrees = 0;
};
Prior prior_of(const std::vector<double>& logs, double degrees) {
  if (logs.size() < kFewestToShare) return {};
  double mean = 0, variance = 0;
  for (const double value : logs) mean += value;
  mean /= static_cast<double>(logs.size());
  for (const double value : logs) variance += (value - mean) * (value - mean);
  variance /= static_cast<double>(logs.size() - 1);
  const double centre = mean - digamma(degrees / 2) + std::log(degrees / 2);
  const double beyond_chance = variance - trigamma(degrees / 2);
  if (beyond_chance <= 0) return {std::exp(centre), std::numeric_limits<double>::infinity()};
  const double half = trigamma_inverse(beyond_chance);
  return {std::exp(centre + digamma(half) - std::log(half)), 2 * half};
}

}  // namespace

SharedDispersion share_dispersion(std::span<const RunCounts> counts, const Runs& runs) {
  SharedDispersion shared;
  const usize all_runs = runs.exposures.size();
  if (all_runs < 3) return shared;
  const auto degrees = static_cast<double>(all_runs - 2);
  std::vector<std::vector<double>> expected;
  expected.reserve(counts.size());
  // Of what was hardly seen, chance is all there is to see.
  const double enough = 5 * static_cast<double>(all_runs);
  std::vector<u32> common;
  for (u32 thing = 0; thing < counts.size(); ++thing) {
    expected.push_back(expected_samples(counts[thing], runs));
    if (total(counts[thing].samples) >= enough) common.push_back(thing);
  }
  const auto mean_misfit = [&](double of_mean) {
    double sum = 0;
    for (const u32 thing : common) sum += misfit(counts[thing], expected[thing], of_mean);
    return common.empty() ? 0 : sum / (degrees * static_cast<double>(common.size()));
  };
  double high = 1e-9;
  if (mean_misfit(0) > 1) {
    while (mean_misfit(high) > 1 && high < 1e6) high *= 2;
    double low = 0;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (mean_misfit(middle) > 1 ? low : high) = middle;
    }
    shared.of_mean = high;
  }
  std::vector<double> own(counts.size(), 1), logs;
  for (const u32 thing : common) {
    const double least = kLeastVariance / (total(counts[thing].samples) / static_cast<double>(all_runs));
    own[thing] = std::max(misfit(counts[thing], expected[thing], shared.of_mean) / degrees, least);
    logs.push_back(std::log(own[thing]));
  }
  const Prior prior = prior_of(logs, degrees);
  std::vector<bool> is_common(counts.size(), false);
  for (const u32 thing : common) is_common[thing] = true;
  for (u32 thing = 0; thing < counts.size(); ++thing) {
    double sum = 0, squares = 0;
    for (const double mean : expected[thing]) {
      sum += mean;
      squares += mean * mean;
    }
    double scatter = std::isinf(prior.degrees)
                         ? prior.scatter
                         : (prior.degrees * prior.scatter + degrees * own[thing]) / (prior.degrees + degrees);
    // By chance alone, and no less.
    if (!is_common[thing]) scatter = std::max(1.0, scatter);
    const double of_sums = sum > 0 ? scatter * (1 + shared.of_mean * squares / sum) : 1;
    const double least = sum > 0 ? kLeastVariance * static_cast<double>(all_runs) / sum : 1;
    shared.scatters.push_back({std::max(of_sums, least), degrees + prior.degrees});
  }
  return shared;
}

// Pearson's statistic by its degrees of freedom. Blocks without the thing differ from what was expected, too: their
// part is in the sum over all.
Scatter BlockScatter::get(double all_samples, usize all_blocks) const {
  if (all_blocks < 2 || !(sum_ > 0) || !(all_samples > 0)) return {};
  const double share = sum_ / all_samples;
  const auto degrees = static_cast<double>(all_blocks - 1);
  return {std::max(1.0, (squares_ - share * sum_) / (share * degrees)), degrees};
}

}  // namespace wperf::compare
