// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/count_runs.h"

#include <gtest/gtest.h>

namespace wperf::measure {
namespace {

answers::CountProfile run_of(u64 first, u64 second, double seconds) {
  answers::CountProfile run;
  run.process = 7;
  run.program = "prog";
  run.elapsed_seconds = seconds;
  run.user_seconds = seconds / 2;
  run.system_seconds = 0;
  answers::CountUnit& unit = run.classes[0].units.emplace_back();
  for (const u64 value : {first, second}) {
    answers::CountRow& row = unit.rows.emplace_back();
    row.code = 1;
    row.value = row.scaled = value;
  }
  return run;
}

TEST(CountRuns, MeansAndDeviations) {
  const answers::CountProfile mean = mean_of_runs({run_of(10, 5, 1), run_of(20, 5, 2), run_of(30, 5, 3)});
  const auto& rows = mean.classes[0].units[0].rows;
  EXPECT_EQ(rows[0].value, 20u);
  EXPECT_EQ(rows[0].scaled, 20u);
  EXPECT_DOUBLE_EQ(rows[0].deviation, 10);
  EXPECT_EQ(rows[1].value, 5u);
  EXPECT_DOUBLE_EQ(rows[1].deviation, 0);
  EXPECT_DOUBLE_EQ(mean.elapsed_seconds, 2);
  ASSERT_TRUE(mean.runs.has_value());
  EXPECT_EQ(mean.runs->count, 3u);
  EXPECT_DOUBLE_EQ(mean.runs->elapsed_seconds, 1);
  EXPECT_DOUBLE_EQ(*mean.user_seconds, 1);
  EXPECT_DOUBLE_EQ(mean.runs->user_seconds, 0.5);
  EXPECT_EQ(mean.program, "prog");
}

TEST(CountRuns, MeansAreNotWholeNumbers) {
  const answers::CountProfile mean = mean_of_runs({run_of(0, 1, 1), run_of(0, 1, 1), run_of(1, 2, 1)});
  const auto& rows = mean.classes[0].units[0].rows;
  EXPECT_EQ(rows[0].value, 0u);
  EXPECT_DOUBLE_EQ(rows[0].exact_value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rows[1].exact_scaled(), 4.0 / 3);
}

TEST(CountRuns, OneRunIsItself) {
  const answers::CountProfile mean = mean_of_runs({run_of(10, 5, 1)});
  EXPECT_FALSE(mean.runs.has_value());
  EXPECT_FALSE(mean.classes[0].units[0].rows[0].mean.has_value());
  EXPECT_EQ(mean.process, 7u);
}

TEST(CountRuns, MissingTimesOfOneRunOmitMeanTimes) {
  answers::CountProfile killed = run_of(1, 1, 1);
  killed.user_seconds.reset();
  EXPECT_FALSE(mean_of_runs({run_of(1, 1, 1), killed}).user_seconds.has_value());
}

}  // namespace
}  // namespace wperf::measure
