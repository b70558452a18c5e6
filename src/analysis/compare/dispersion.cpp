// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/dispersion.h"

#include <algorithm>
#include <cmath>

#include "analysis/compare/statistics.h"

namespace wperf::compare {
namespace {

// In a repetitive program, sampling with counters is nearly exact, but numbers of samples are integers.
constexpr double kLeastVariance = 0.25;
// With fewer items, no common dispersion can be estimated.
constexpr usize kFewestToShare = 10;

// The expected samples of each run if all runs of a side were alike.
std::vector<double> expected_samples(const RunCounts& counts, const Runs& runs) {
  std::vector<double> expected(counts.samples.size());
  for (const bool is_before : {true, false}) {
    const usize begin = is_before ? 0 : runs.before, end = is_before ? runs.before : counts.samples.size();
    double seen = 0, exposure = 0;
    for (usize run = begin; run < end; ++run) {
      seen += runs.weight(run) * counts.samples[run];
      exposure += runs.weight(run) * runs.exposures[run];
    }
    for (usize run = begin; run < end; ++run) expected[run] = exposure > 0 ? runs.exposures[run] * seen / exposure : 0;
  }
  return expected;
}

// A squared difference in units of its variance.
double misfit(double samples, double mean, double of_mean) {
  const double difference = samples - mean;
  return mean > 0 ? difference * difference / std::max(kLeastVariance, mean + of_mean * mean * mean) : 0;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// For a separate variance of each item, shrunk towards the common variance.
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

// Estimates from all items together how much more runs differ than chance explains.
class SharedFit {
 public:
  SharedFit(std::span<const RunCounts> counts, const Runs& runs) : counts_(counts), runs_(runs) {
    const usize all_runs = runs.exposures.size();
    degrees_ = static_cast<double>(all_runs) - 2;
    expected_.reserve(counts.size());
    // With few samples, chance hides all other differences.
    const double enough = 5 * static_cast<double>(all_runs);
    for (u32 thing = 0; thing < counts.size(); ++thing) {
      expected_.push_back(expected_samples(counts[thing], runs));
      if (total(counts[thing].samples) >= enough) common_.push_back(thing);
    }
    if (mean_scatter(0) <= 1) return;
    double low = 0, high = 1e-9;
    while (mean_scatter(high) > 1 && high < 1e6) high *= 2;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (mean_scatter(middle) > 1 ? low : high) = middle;
    }
    of_mean_ = high;
  }

  double degrees() const { return degrees_; }
  double of_mean() const { return of_mean_; }
  const std::vector<u32>& common() const { return common_; }
  const std::vector<double>& expected(u32 thing) const { return expected_[thing]; }
  double misfit_of(u32 thing, usize run) const {
    return misfit(counts_[thing].samples[run], expected_[thing][run], of_mean_);
  }
  // The scatter of this item, estimated from this item only.
  double own_scatter(u32 thing) const {
    const auto all_runs = static_cast<double>(runs_.exposures.size());
    const double least = kLeastVariance / (total(counts_[thing].samples) / all_runs);
    return std::max(scatter(thing, of_mean_), least);
  }

 private:
  double scatter(u32 thing, double of_mean) const {
    double sum = 0;
    for (usize run = 0; run < runs_.exposures.size(); ++run)
      sum += runs_.weight(run) * misfit(counts_[thing].samples[run], expected_[thing][run], of_mean);
    return sum / degrees_;
  }
  double mean_scatter(double of_mean) const {
    double sum = 0;
    for (const u32 thing : common_) sum += scatter(thing, of_mean);
    return common_.empty() ? 0 : sum / static_cast<double>(common_.size());
  }

  std::span<const RunCounts> counts_;
  const Runs& runs_;
  std::vector<std::vector<double>> expected_;  // by item and run
  std::vector<u32> common_;                    // items with enough samples
  double degrees_ = 0, of_mean_ = 0;
};

}  // namespace

std::vector<double> weigh_runs(std::span<const RunCounts> counts, const Runs& runs) {
  constexpr usize kFewestToWeigh = 5;      // number of items; fewer say too little about a run
  constexpr double kOfNoDisturbance = 10;  // this many undisturbed items are added to the real ones
  constexpr double kDisturbed = 2;         // relative to the variance of the median run
  constexpr int kRounds = 4;               // repeated until a disturbance no longer distorts the expected samples
  const usize all_runs = runs.exposures.size();
  Runs weighed = runs;
  weighed.weights.assign(all_runs, 1);
  if (all_runs < 3) return weighed.weights;
  for (int round = 0; round < kRounds; ++round) {
    const SharedFit fit(counts, weighed);
    const auto things = static_cast<double>(fit.common().size());
    if (fit.common().size() < kFewestToWeigh) break;
    double of_side[2] = {0, 0};
    for (usize run = 0; run < all_runs; ++run)
      of_side[run >= runs.before] += weighed.weights[run] * runs.exposures[run];
    std::vector<double> variances(all_runs, 0);
    for (usize run = 0; run < all_runs; ++run) {
      // The run itself contributes to the expectation, in proportion to its share of its side.
      const double part = weighed.weights[run] * runs.exposures[run] / of_side[run >= runs.before];
      if (!(part < 1)) continue;  // the only run of its side
      for (const u32 thing : fit.common()) variances[run] += fit.misfit_of(thing, run) / fit.own_scatter(thing);
      variances[run] /= (1 - part) * things;
    }
    const double usual = median_of(variances);
    if (!(usual > 0)) break;
    for (usize run = 0; run < all_runs; ++run) {
      const double times = (things * variances[run] / usual + kOfNoDisturbance) / (things + kOfNoDisturbance);
      weighed.weights[run] = times > kDisturbed ? 1 / times : 1;
    }
  }
  return weighed.weights;
}

SharedDispersion share_dispersion(std::span<const RunCounts> counts, const Runs& runs) {
  SharedDispersion shared;
  const usize all_runs = runs.exposures.size();
  if (all_runs < 3) return shared;
  const SharedFit fit(counts, runs);
  shared.of_mean = fit.of_mean();
  std::vector<double> own(counts.size(), 1), logs;
  std::vector<bool> is_common(counts.size(), false);
  for (const u32 thing : fit.common()) {
    is_common[thing] = true;
    own[thing] = fit.own_scatter(thing);
    logs.push_back(std::log(own[thing]));
  }
  const double degrees = fit.degrees();
  const Prior prior = prior_of(logs, degrees);
  for (u32 thing = 0; thing < counts.size(); ++thing) {
    double sum = 0, squares = 0;
    for (usize run = 0; run < all_runs; ++run) {
      const double mean = fit.expected(thing)[run];
      sum += runs.weight(run) * mean;
      squares += runs.weight(run) * mean * mean;
    }
    double scatter = std::isinf(prior.degrees)
                         ? prior.scatter
                         : (prior.degrees * prior.scatter + degrees * own[thing]) / (prior.degrees + degrees);
    // An item with few samples is never assumed to scatter less than by chance.
    if (!is_common[thing]) scatter = std::max(1.0, scatter);
    const double of_sums = sum > 0 ? scatter * (1 + shared.of_mean * squares / sum) : 1;
    const double least = sum > 0 ? kLeastVariance * static_cast<double>(all_runs) / sum : 1;
    shared.scatters.push_back({std::max(of_sums, least), degrees + prior.degrees});
  }
  return shared;
}

// Pearson's statistic divided by its degrees of freedom. Blocks without the item are also part of the statistic; their
// contribution follows from the sum.
Scatter BlockScatter::get(double all_samples, usize all_blocks) const {
  if (all_blocks < 2 || !(sum_ > 0) || !(all_samples > 0)) return {};
  const double share = sum_ / all_samples;
  const auto degrees = static_cast<double>(all_blocks - 1);
  return {std::max(1.0, (squares_ - share * sum_) / (share * degrees)), degrees};
}

}  // namespace wperf::compare
