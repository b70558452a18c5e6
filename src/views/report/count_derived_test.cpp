// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/count_derived.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ground/text/number_text.h"
#include "views/report/count_derived.h"
#include "views/report/count_report.h"

namespace wperf::report {
namespace {

answers::CountRow row_of(const char* name, u64 value) {
  answers::CountRow row;
  row.name = name;
  row.code = 1;
  row.note = "e";
  row.value = row.scaled = value;
  return row;
}

// A program that ran for half of two seconds.
answers::CountProfile kernel_profile() {
  answers::CountProfile profile;
  profile.by_kernel = true;
  profile.process = 22637;
  profile.program = "prog";
  profile.vendor = "AuthenticAMD";
  profile.elapsed_seconds = 2;
  profile.user_seconds = 0.9;
  profile.system_seconds = 0.00273136;
  answers::ClassCounts& counts = profile.classes[0];
  counts.scheduled = true;
  counts.units.emplace_back().rows = {row_of("task-clock", 1'000'000'000),  row_of("context-switches", 12),
                                      row_of("cycles", 3'000'000'000),      row_of("instructions", 6'000'000'000),
                                      row_of("branches", 1'000'000'000),    row_of("branch-misses", 25'000'000),
                                      row_of("l1-dcache-loads", 2'000'000), row_of("l1-dcache-load-misses", 20'000)};
  return profile;
}

TEST(CountDerived, AsPerfDerives) {
  const answers::CountProfile profile = kernel_profile();
  const auto& rows = profile.classes[0].units[0].rows;
  const char* expected[] = {"1.000 s, 0.500 CPUs used", "12.0/s",   "3.00 GHz",          "2.00 per cycle", "1.00 G/s",
                            "2.50 % of branches",       "2.00 M/s", "1.00 % of accesses"};
  for (usize i = 0; i < rows.size(); ++i) EXPECT_EQ(derived_text(rows[i], rows, 2), expected[i]) << rows[i].name;
}

TEST(CountDerived, WithoutTheOtherCount) {
  const std::vector<answers::CountRow> alone = {row_of("instructions", 4000), row_of("branch-misses", 0)};
  EXPECT_EQ(derived_text(alone[0], alone, 2), "2.00 K/s");
  EXPECT_EQ(derived_text(alone[1], alone, 2), "0/s");
  EXPECT_EQ(derived_text(alone[0], alone, 0), "");
  std::vector<answers::CountRow> rows = {row_of("cycles", 0), row_of("instructions", 5)};
  EXPECT_EQ(derived_text(rows[1], rows, 1), "5.00/s") << "no division by zero";
  rows[1].fraction = 0;
  EXPECT_EQ(derived_text(rows[1], rows, 1), "") << "its turn never came";
}

TEST(CountKernelText, WhatAPersonReads) {
  const std::string text = count_text(kernel_profile(), {});
  EXPECT_TRUE(
      text.starts_with("\nPerformance counter stats for prog (pid 22637), kernel mode excluded:\n\n"
                       "        counter value  event name             derived\n"))
      << text;
  EXPECT_NE(text.find("        1,000,000,000  task-clock             1.000 s, 0.500 CPUs used\n"), std::string::npos);
  EXPECT_TRUE(
      text.ends_with("\n             2.000 s elapsed\n              900 ms user\n              2.7 ms system\n"))
      << text;
  EXPECT_EQ(text.find("implementation"), std::string::npos);
}

TEST(CountKernelText, RunsRemarksAndGroups) {
  answers::CountProfile profile = kernel_profile();
  profile.runs = answers::Runs{.count = 3, .elapsed_seconds = 0.01};
  profile.process.reset();
  profile.remarks = {"something is missing"};
  profile.classes[0].units[0].rows[0].deviation = 8'900'000;
  profile.classes[0].units[0].rows[1].note = "g0";
  const std::string text = count_text(profile, {});
  EXPECT_NE(text.find("for prog, mean of 3 runs, kernel mode excluded:\nevents with the same note"), std::string::npos)
      << text;
  EXPECT_NE(text.find("1,000,000,000   ± 0.89 %  task-clock"), std::string::npos) << text;
  EXPECT_NE(text.find("\n   2.000 s ± 10.0 ms elapsed\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\nnote: something is missing\n"));
}

TEST(CountKernelText, SmallMeansAreNotRounded) {
  answers::CountProfile profile;
  profile.by_kernel = true;
  profile.program = "prog";
  profile.elapsed_seconds = 2;
  profile.runs = answers::Runs{.count = 3};
  answers::CountRow row = row_of("context-switches", 0);
  row.mean = row.scaled_mean = 1.0 / 3;
  row.deviation = 0.57735;
  profile.classes[0].units.push_back({.number = 0, .cores = {}, .rows = {row}});
  const std::string text = count_text(profile, {});
  EXPECT_NE(text.find(" 0.33  ± 173.21 %  context-switches  0.17/s\n"), std::string::npos) << text;
  const auto document = nlohmann::json::parse(count_json(profile));
  EXPECT_EQ(document["core"]["cores"][0]["Performance_counter"][0]["counter_value"], 0);
  EXPECT_DOUBLE_EQ(document["Runs"]["counters"][0]["mean"].get<double>(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(document["Derived"][0]["value"].get<double>(), 0.166667);
}

TEST(CountKernelText, TheKernelsOwnCyclesReplaceTheRowOfAllDevices) {
  answers::CountProfile profile = kernel_profile();
  auto& rows = profile.classes[0].units[0].rows;
  rows.insert(rows.begin(), row_of("cycle", 2'999));
  rows[0].code.reset();
  EXPECT_EQ(count_text(profile, {}).find("2,999"), std::string::npos);
  rows.resize(2);
  EXPECT_NE(count_text(profile, {}).find("2,999"), std::string::npos);
}

TEST(CountKernelText, Json) {
  answers::CountProfile profile = kernel_profile();
  profile.runs = answers::Runs{.count = 2, .elapsed_seconds = 0.5};
  profile.classes[0].units[0].rows[3].deviation = 2.5;
  const auto document = nlohmann::json::parse(count_json(profile));
  EXPECT_EQ(document["Program"], "prog");
  EXPECT_DOUBLE_EQ(document["User_time"].get<double>(), 0.9);
  EXPECT_EQ(
      document["Derived"][3],
      (nlohmann::json{{"core_number", 0}, {"event_name", "instructions"}, {"value", 2.0}, {"unit", "per cycle"}}));
  EXPECT_EQ(document["Runs"]["count"], 2);
  EXPECT_EQ(document["Runs"]["counters"][3]["deviation"], 2.5);
  EXPECT_EQ(document["Runs"]["counters"].size(), 8u);
}

TEST(NumberText, ForAPerson) {
  EXPECT_EQ(text::duration(0.00273136), "2.7 ms");
  EXPECT_EQ(text::duration(0.0999), "100 ms");
  EXPECT_EQ(text::duration(0.9996), "1.000 s");
  EXPECT_EQ(text::duration(12.34), "12.3 s");
  EXPECT_EQ(text::duration(-1), "0.0 ms");
  EXPECT_EQ(text::scaled_number(0), "0");
  EXPECT_EQ(text::scaled_number(7), "7.00");
  EXPECT_EQ(text::scaled_number(823.4), "823");
  EXPECT_EQ(text::scaled_number(999.7), "1.00 K");
  EXPECT_EQ(text::scaled_number(60'900), "60.9 K");
  EXPECT_EQ(text::scaled_number(1e40), "10000000000000000000000 E");
}

}  // namespace
}  // namespace wperf::report
