// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "views/brief/brief.h"

namespace wperf::brief {
namespace {

using stacks::kNothing;

// One function in two tasks with 200 samples each.
stacks::StackProfile two_tasks(std::vector<stacks::StackTask> tasks) {
  stacks::StackProfile profile;
  profile.events = {{.name = "cpu-clock", .samples = 400, .period = 400}};
  profile.names = {"one", "two"};
  profile.tasks = std::move(tasks);
  profile.modules = {{.name = "program", .path = "/bin/program", .reason = ""}};
  profile.functions = {{.name = "main", .is_known = true}};
  profile.places = {{0}};
  profile.nodes = {{kNothing, kNothing}, {0, 0}};
  profile.samples.push_back({0, 0, 0, 1, 200, 200});
  profile.samples.push_back({0, 1, 0, 1, 200, 200});
  return profile;
}

bool speaks_of_threads(const stacks::StackProfile& profile) {
  const Brief brief = of_profile(profile, {}, {});
  return std::ranges::any_of(brief.ruled_out, [](const std::string& cause) { return cause.starts_with("threads"); });
}

TEST(RuledOut, AThreadWithTwoNamesIsOneThread) {
  EXPECT_TRUE(speaks_of_threads(two_tasks({{1, 1, 0}, {1, 2, 1}})));
  EXPECT_FALSE(speaks_of_threads(two_tasks({{1, 1, 0}, {1, 1, 1}})));
  // Without numbers, threads can be distinguished only by name.
  EXPECT_TRUE(speaks_of_threads(two_tasks({{kNothing, kNothing, 0}, {kNothing, kNothing, 1}})));
}

// main calls work, which has all samples but one.
stacks::StackProfile main_and_work() {
  stacks::StackProfile profile = two_tasks({{1, 1, 0}, {1, 2, 1}});
  profile.functions.push_back({.name = "work", .is_known = true});
  profile.places.push_back({1});
  profile.nodes.push_back({1, 1});
  profile.samples = {};
  profile.samples.push_back({0, 0, 0, 1, 1, 1});
  profile.samples.push_back({0, 0, 0, 2, 399, 399});
  profile.has_callers = true;
  return profile;
}

TEST(StackBrief, LongNamesAreCutInTheVerdict) {
  stacks::StackProfile profile = main_and_work();
  profile.functions[0].name = std::string(301, 'c');
  profile.functions[1].name = std::string(301, 'n');
  profile.modules[0].name = std::string(301, 'm');
  const Brief brief = of_profile(profile, {}, {});
  const auto is_about = [](const std::string& sentence) { return sentence.find(" nnn") != std::string::npos; };
  const auto hottest = std::ranges::find_if(brief.verdict, is_about);
  ASSERT_NE(hottest, brief.verdict.end()) << brief.verdict.front();
  for (const char c : {'n', 'm', 'c'})
    EXPECT_NE(hottest->find(' ' + std::string(117, c) + "..."), std::string::npos) << *hottest;
}

TEST(StackBrief, CalleesHaveTheSamplesBelowTheFunction) {
  report::StackOptions options;
  options.callees = true;
  options.filter.symbol = [](std::string_view name) { return name == "main"; };
  const Brief brief = of_profile(main_and_work(), options, {});
  ASSERT_FALSE(brief.verdict.empty());
  EXPECT_EQ(brief.verdict[0].find("only 1 sample"), std::string::npos) << brief.verdict[0];
  EXPECT_NE(brief.verdict[0].find("work"), std::string::npos) << brief.verdict[0];
}

TEST(StackBrief, AnIntervalStandsNextToItsShare) {
  const auto titles = [](bool children) {
    report::StackOptions options;
    options.children = children;
    std::string text;
    for (const auto& column : of_profile(main_and_work(), options, {}).table.columns) text += column.title + '|';
    return text;
  };
  EXPECT_EQ(titles(false).find("%|95 % interval|samples|"), 0u) << titles(false);
  EXPECT_EQ(titles(true).find("all %|95 % interval|self %|samples|"), 0u) << titles(true);
}

TEST(ComparisonBrief, TotalsDoNotSayWhichFunctionsChanged) {
  compare::Comparison comparison;
  comparison.files_before = comparison.files_after = {"prog"};
  comparison.totals = {{.event = "cycles", .is_significant = true}};
  Commands commands{.all = "wperf bench", .with_functions = "wperf bench --record run"};
  EXPECT_EQ(of_comparison(comparison, {}, commands).next, "wperf bench --record run");
  comparison.totals[0].is_significant = false;
  EXPECT_EQ(of_comparison(comparison, {}, commands).next, "wperf bench");
}

}  // namespace
}  // namespace wperf::brief
