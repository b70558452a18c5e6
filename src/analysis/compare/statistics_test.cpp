// SPDX-License-Identifier: BSD-3-Clause
// The expected values were computed independently: distributions with 40 digits (mpmath), exact tests by enumerating
// all cases with integers (Python's itertools and fractions).
#include "analysis/compare/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "analysis/compare/dispersion.h"

namespace wperf::compare {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Expects values that are equal to 10 digits.
void expect_like(double value, double reference) {
  EXPECT_NEAR(value, reference, std::abs(reference) * 1e-10 + 1e-300);
}

TEST(Distributions, BetaAgreesWithReferences) {
  expect_like(beta_below(0.5, 0.5, 0.25), 1.0 / 3);
  expect_like(beta_below(2, 3, 0.4), 0.5248);
  expect_like(beta_below(1.7, 40.3, 0.01), 0.109859409860769);
  expect_like(beta_below(300, 700, 0.3), 0.503671182860768);
  expect_like(beta_below(50.5, 3.25, 0.999), 0.999992381674873);
  EXPECT_NEAR(beta_below(5000, 5000, 0.4) / 4.51854372726109e-91, 1, 1e-9);
  EXPECT_EQ(beta_below(2, 3, 0), 0);
  EXPECT_EQ(beta_below(2, 3, 1), 1);
  expect_like(beta_quantile(1, 10, 0.025), 0.0025285785444618);
  expect_like(beta_quantile(3, 8, 0.025), 0.066739511177734);
  expect_like(beta_quantile(4, 7, 0.975), 0.65245285006);
  expect_like(beta_quantile(120, 81, 0.025), 0.52853567279705);
  expect_like(beta_quantile(0.7, 12.5, 0.001), 3.6570253439877e-6);
  // Millions of samples, and the middle of an even distribution.
  EXPECT_NEAR(beta_quantile(3e6, 3e6, 0.5), 0.5, 1e-9);
}

TEST(Distributions, NormalAndStudentAgreeWithReferencesAlsoFarOut) {
  expect_like(normal_above(1.959963984540054), 0.025);
  expect_like(normal_above(6), 9.86587645037698e-10);
  expect_like(normal_bound(2.75362411860623e-89), 20);
  expect_like(normal_bound(0.975), -1.959963984540054);
  expect_like(student_above(2.306004135204166, 8), 0.025);
  expect_like(student_above(1, 1), 0.25);
  expect_like(student_above(4.5, 3.5), 0.00732143470314793);
  expect_like(student_above(12, 30), 2.79009270759963e-13);
  expect_like(student_bound(0.025, 8), 2.306004135204166);
  expect_like(student_above(1.5, kInfinite), normal_above(1.5));
}

TEST(Distributions, DerivativesOfLogGamma) {
  expect_like(digamma(0.1), -10.4237549404111);
  expect_like(digamma(1), -0.577215664901533);
  expect_like(digamma(25.5), 3.21894247288392);
  expect_like(trigamma(0.1), 101.433299150793);
  expect_like(trigamma(4), 0.283822955737115);
  expect_like(trigamma_inverse(0.0399946696495629), 25.5);
  EXPECT_EQ(trigamma_inverse(0), kInfinite);
}

double ranked(std::vector<double> before, std::vector<double> after) {
  return rank_test(before, after);
}

TEST(RankTest, CountsAllOrdersExactly) {
  expect_like(ranked({1, 2, 3}, {4, 5, 6}), 1.0 / 10);
  expect_like(ranked({1, 2, 3, 4}, {5, 6, 7, 8}), 1.0 / 35);
  expect_like(ranked({6, 7, 8, 9, 10}, {1, 2, 3, 4, 5}), 1.0 / 126);
  expect_like(ranked({10, 12, 9, 14}, {11, 15, 13, 16, 18, 12}), 2.0 / 15);
}

TEST(RankTest, EqualValuesShareTheirRank) {
  expect_like(ranked({1, 2, 2, 3, 5}, {2, 4, 4, 6, 7}), 1.0 / 7);
  expect_like(ranked({1, 1, 1, 1}, {1, 1, 1, 2}), 1);
  expect_like(ranked({3, 3, 3, 3, 3}, {4, 4, 4, 4, 4}), 1.0 / 126);
  expect_like(ranked({3, 3, 3}, {3, 3, 3}), 1);
  EXPECT_EQ(ranked({}, {1}), 1);
}

TEST(RankTest, ManyRunsAreComparedByTheNormalDistribution) {
  std::vector<double> before, after;
  for (int run = 0; run < 40; ++run) {
    before.push_back(run);
    after.push_back(run + 0.5);
  }
  EXPECT_GT(ranked(before, after), 0.8);
  for (double& value : after) value += 20;
  EXPECT_LT(ranked(before, after), 1e-4);
}

TEST(RankTest, TooFewRunsCanShowNothing) {
  expect_like(smallest_rank_answer(1, 1), 1);
  expect_like(smallest_rank_answer(3, 3), 0.1);
  expect_like(smallest_rank_answer(4, 4), 2.0 / 70);
  expect_like(smallest_rank_answer(5, 5), 2.0 / 252);
  expect_like(smallest_rank_answer(1, 39), 0.05);
}

TEST(Shift, HasTheMedianDifferenceAndAnIntervalThatFitsTheTest) {
  const std::vector<double> before = {1, 2, 3, 4, 5}, after = {6.5, 7, 8.25, 9, 11};
  const Shift shift = shift_between(before, after, 0.95);
  EXPECT_DOUBLE_EQ(shift.median, 5.25);
  // If one side is shifted by slightly less than the end of the interval, the test still finds a difference; with
  // slightly more, it does not.
  for (const double sign : {-1.0, 1.0}) {
    const double end = sign < 0 ? shift.low : shift.high;
    std::vector<double> outside = after, inside = after;
    for (double& value : outside) value -= end + sign * 1e-9;
    for (double& value : inside) value -= end - sign * 1e-9;
    EXPECT_LE(rank_test(before, outside), 0.05);
    EXPECT_GT(rank_test(before, inside), 0.05);
  }
}

TEST(Shift, HasNoEndsWhereRunsAreTooFew) {
  const Shift shift = shift_between(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6}, 0.95);
  EXPECT_DOUBLE_EQ(shift.median, 3);
  EXPECT_EQ(shift.low, -kInfinite);
  EXPECT_EQ(shift.high, kInfinite);
}

TEST(Shift, IsExactWhereRunsRepeatExactly) {
  const std::vector<double> before(4, 1000), after(4, 1001);
  const Shift shift = shift_between(before, after, 0.95);
  EXPECT_EQ(shift.median, 1);
  EXPECT_EQ(shift.low, 1);
  EXPECT_EQ(shift.high, 1);
}

RateChange rates(double before, double after, double exposure_before = 1, double exposure_after = 1) {
  return compare_rates({before, after, exposure_before, exposure_after}, {}, 0.95);
}

TEST(Rates, AreComparedByTheExactConditionalBinomial) {
  expect_like(rates(10, 20).answer, 0.09873714670538902);
  expect_like(rates(5, 0).answer, 0.0625);
  expect_like(rates(30, 50, 3, 2).answer, 8.025517110982821e-05);
  expect_like(rates(0, 7, 2, 1).answer, 0.0009144947416552355);
  EXPECT_EQ(rates(10, 10).answer, 1);
}

TEST(Rates, HaveTheIntervalOfClopperAndPearson) {
  expect_like(rates(10, 20).low, 0.893508890385);
  expect_like(rates(10, 20).high, 4.78455244034);
  expect_like(rates(10, 20).ratio, 2);
  expect_like(rates(30, 50, 1, 2).high, 2.71480450339 / 2);
  EXPECT_EQ(rates(5, 0).low, 0);
  expect_like(rates(5, 0).high, 1.09127910518);
  expect_like(rates(0, 7).low, 1.44130851884);
  EXPECT_EQ(rates(0, 7).high, kInfinite);
  EXPECT_EQ(rates(0, 7).ratio, kInfinite);
}

TEST(Rates, SayLessWhereCountsScatterOrScatterIsHardlyKnown) {
  const MeasuredRates rates{400, 520, 1, 1};
  const RateChange plain = compare_rates(rates, {}, 0.95), scattered = compare_rates(rates, {.factor = 4}, 0.95);
  const RateChange hardly_known = compare_rates(rates, {.factor = 4, .degrees = 5}, 0.95);
  EXPECT_LT(plain.answer, 1e-4);
  EXPECT_GT(scattered.answer, 0.04);
  EXPECT_GT(hardly_known.answer, scattered.answer);
  EXPECT_LT(scattered.low, plain.low);
  EXPECT_LT(hardly_known.low, scattered.low);
  EXPECT_GT(hardly_known.high, scattered.high);
}

TEST(Rates, IntervalAndAnswerAgree) {
  for (const double after : {440.0, 470.0, 480.0, 500.0, 560.0}) {
    for (const Scatter& scatter : {Scatter{}, Scatter{1.5, 8}, Scatter{0.4, 11.5}}) {
      const RateChange change = compare_rates({400, after, 3, 3}, scatter, 0.95);
      EXPECT_EQ(change.answer < 0.05, change.low > 1) << after << ' ' << scatter.factor;
    }
  }
}

TEST(Rates, NothingSeenOrNoMeasureSaysNothing) {
  EXPECT_EQ(rates(0, 0).answer, 1);
  EXPECT_EQ(rates(5, 5, 0, 1).answer, 1);
  EXPECT_EQ(rates(5, 5, 0, 1).high, kInfinite);
}

// 1.0 → 1.2 % needs about 43,000 samples per side (95 % confidence, 80 % power).
TEST(Rates, SayWhatCouldHaveBeenSeen) {
  EXPECT_NEAR(detectable_ratio({431.2, 431.2, 43'120, 43'120}, {}, 0.95), 1.2, 0.001);
  EXPECT_GT(detectable_ratio({431.2, 431.2, 43'120, 43'120}, {.factor = 2}, 0.95), 1.28);
  EXPECT_EQ(detectable_ratio({0, 0, 1, 1}, {}, 0.95), kInfinite);
}

TEST(FoundAmong, BoundsTheShareOfWrongOnes) {
  const std::vector<double> answers = {0.02, 0.5, 0.001, 0.03, 0.04};
  // The limits for the sorted answers: 0.01, 0.02, 0.03, 0.04, 0.05.
  EXPECT_EQ(found_among(answers, 0.05), (std::vector<bool>{true, false, true, true, true}));
  EXPECT_EQ(found_among(std::vector<double>{0.02, 0.9}, 0.05), (std::vector<bool>{true, false}));
  EXPECT_EQ(found_among(std::vector<double>{0.03, 0.9}, 0.05), (std::vector<bool>{false, false}));
  EXPECT_TRUE(found_among({}, 0.05).empty());
}

TEST(BlockScatter, IsOneByChanceAndMoreInBursts) {
  std::mt19937_64 random(7);
  std::binomial_distribution<int> draw(100, 0.1);
  BlockScatter even, burst;
  constexpr usize kBlocks = 400;
  for (usize block = 0; block < kBlocks; ++block) {
    even.add(draw(random), 100);
    if (block % 10 == 0) burst.add(100, 100);
  }
  EXPECT_NEAR(even.get(100 * kBlocks, kBlocks).factor, 1, 0.15);
  EXPECT_NEAR(burst.get(100 * kBlocks, kBlocks).factor, 90, 1);
  EXPECT_EQ(even.get(100 * kBlocks, kBlocks).degrees, kBlocks - 1);
  EXPECT_EQ(BlockScatter().get(0, 0).factor, 1);
}

// Counts of functions in several runs: Poisson scatter, times a random factor for each run and function.
class ManyRuns {
 public:
  explicit ManyRuns(u64 seed) : random_(seed) {}

  std::vector<RunCounts> functions(usize count, usize runs, double of_mean, double last_grew) {
    std::vector<RunCounts> all(count);
    for (usize function = 0; function < count; ++function) {
      const double mean = 20 * std::pow(1.05, static_cast<double>(function % 100));
      for (usize run = 0; run < runs; ++run) {
        double here = mean;
        if (of_mean > 0) here *= std::gamma_distribution<double>(1 / of_mean, of_mean)(random_);
        if (function + 1 == count && run >= runs / 2) here *= last_grew;
        all[function].samples.push_back(std::poisson_distribution<int>(here)(random_));
      }
    }
    return all;
  }

 private:
  std::mt19937_64 random_;
};

std::vector<bool> found_in(const std::vector<RunCounts>& functions, const Runs& sides) {
  const SharedDispersion shared = share_dispersion(functions, sides);
  std::vector<double> answers;
  for (usize function = 0; function < functions.size(); ++function) {
    MeasuredRates rates;
    for (usize run = 0; run < sides.exposures.size(); ++run) {
      (run < sides.before ? rates.before : rates.after) += sides.weight(run) * functions[function].samples[run];
      (run < sides.before ? rates.exposure_before : rates.exposure_after) += sides.weight(run);
    }
    answers.push_back(rate_answer(rates, shared.scatters[function]));
  }
  return found_among(answers, 0.05);
}

Runs two_sides(usize runs) {
  return {.exposures = std::vector<double>(runs, 1), .before = runs / 2, .weights = {}};
}

std::vector<bool> found_in(const std::vector<RunCounts>& functions, usize runs) {
  Runs sides = two_sides(runs);
  sides.weights = weigh_runs(functions, sides);
  return found_in(functions, sides);
}

TEST(SharedDispersion, FindsWhatRunsAddToChance) {
  const Runs sides = two_sides(10);
  EXPECT_NEAR(share_dispersion(ManyRuns(3).functions(400, 10, 0.04, 1), sides).of_mean, 0.04, 0.008);
  EXPECT_LT(share_dispersion(ManyRuns(3).functions(400, 10, 0, 1), sides).of_mean, 0.002);
}

TEST(SharedDispersion, RaisesFewFalseAlarms) {
  for (const double of_mean : {0.0, 0.01, 0.1}) {
    int alarms = 0;
    constexpr int kPairs = 200;
    for (int pair = 0; pair < kPairs; ++pair) {
      const std::vector<bool> found = found_in(ManyRuns(100 + pair).functions(120, 10, of_mean, 1), 10);
      alarms += std::find(found.begin(), found.end(), true) != found.end();
    }
    EXPECT_LE(alarms, 16) << of_mean;  // 10 are expected; more than 16 in 3 % of all cases
  }
}

TEST(SharedDispersion, LeavesAChangeToBeFound) {
  int named = 0;
  for (int pair = 0; pair < 100; ++pair)
    named += found_in(ManyRuns(pair).functions(100, 10, 0.0004, 1.1), 10).back() ? 1 : 0;
  EXPECT_GE(named, 95);
}

// In one run, the shares of all functions differ from the shares in the other runs of its side.
std::vector<RunCounts> disturbed(u64 seed, usize disturbed_run, double last_grew) {
  std::vector<RunCounts> functions = ManyRuns(seed).functions(20, 10, 0.0001, last_grew);
  std::mt19937_64 random(seed);
  for (RunCounts& function : functions) {
    for (double& samples : function.samples) samples *= 50;  // so that chance is a small part of the scatter
    function.samples[disturbed_run] *= std::exp(std::normal_distribution<double>(0, 1)(random));
  }
  return functions;
}

TEST(WeighRuns, DisturbedRunGetsLowerWeight) {
  for (u64 seed = 0; seed < 20; ++seed) {
    const usize run = seed % 10;
    const std::vector<double> weights = weigh_runs(disturbed(seed, run, 1), two_sides(10));
    EXPECT_LT(weights[run], 0.3) << seed;
    EXPECT_EQ(std::count(weights.begin(), weights.end(), 1), 9) << seed;
  }
}

TEST(WeighRuns, RunsThatDifferByChanceCountAlike) {
  int weighed = 0;
  for (u64 seed = 0; seed < 200; ++seed) {
    const std::vector<double> weights = weigh_runs(ManyRuns(seed).functions(20, 10, 0.01, 1), two_sides(10));
    weighed += std::count(weights.begin(), weights.end(), 1) != 10;
  }
  EXPECT_LE(weighed, 20);
}

// The only run of a side may have any values, because there is no other run to compare it with.
TEST(WeighRuns, NothingIsSaidOfASingleRunOrOfFewFunctions) {
  std::vector<RunCounts> functions = disturbed(3, 0, 1);
  Runs sides = two_sides(10);
  sides.before = 1;
  EXPECT_EQ(weigh_runs(functions, sides)[0], 1);
  functions.resize(4);
  EXPECT_EQ(weigh_runs(functions, two_sides(10)), std::vector<double>(10, 1));
  EXPECT_EQ(weigh_runs({}, two_sides(10)), std::vector<double>(10, 1));
}

TEST(WeighRuns, AChangeIsFoundBesideADisturbedRun) {
  int alike = 0, weighed = 0;
  for (u64 seed = 0; seed < 100; ++seed) {
    const std::vector<RunCounts> functions = disturbed(seed, seed % 10, 2);
    alike += found_in(functions, two_sides(10)).back() ? 1 : 0;
    weighed += found_in(functions, 10).back() ? 1 : 0;
  }
  EXPECT_LE(alike + 20, weighed);
  EXPECT_GE(weighed, 90);
}

// A program on the simulated machine has no random scatter, so one more sample in each run is a change.
TEST(SharedDispersion, RunsThatRepeatExactlyShowTheSmallestChange) {
  std::vector<RunCounts> functions;
  for (int function = 0; function < 30; ++function) functions.push_back({std::vector<double>(10, 1000)});
  EXPECT_FALSE(found_in(functions, 10)[3]);
  for (usize run = 5; run < 10; ++run) functions[3].samples[run] = 1010;
  const std::vector<bool> found = found_in(functions, 10);
  EXPECT_TRUE(found[3]);
  EXPECT_FALSE(found[4]);
}

}  // namespace
}  // namespace wperf::compare
