// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/run_ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "analysis/compare/distributions.h"

namespace wperf::compare {
namespace {

constexpr usize kMostExact = 60;

// Twice the rank of each value, `before` first; equal values share the mean of their ranks, so twice is whole.
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

// For each sum, the number of ways to choose `chosen` of the ranks with that sum.
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

// How many differences the interval leaves out at either end; 0 if even the outermost ones belong to it.
usize left_out(usize before, usize after, double outside) {
  const usize all = before * after;
  if (before + after > kMostExact) {
    const double variance = static_cast<double>(all) * static_cast<double>(before + after + 1) / 12;
    const double below = static_cast<double>(all) / 2 - normal_bound(outside) * std::sqrt(variance) - 0.5;
    return below < 0 ? 0 : static_cast<usize>(below) + 1;
  }
  // Twice the sum of ranks is even here, and smallest if U, the number of differences below 0, is 0.
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
