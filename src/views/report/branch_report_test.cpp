// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/branch_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wperf::report {
namespace {

using stacks::BranchCount;
using stacks::kNothing;

stacks::StackProfile loop_of_main() {
  stacks::StackProfile profile;
  profile.file = "perf.data";
  for (const std::string_view name : stacks::kBranchCountNames) profile.events.emplace_back().name = name;
  profile.names = {"prog"};
  profile.tasks = {{1, 1, 0}};
  profile.modules = {{.name = "prog", .path = {}, .reason = {}}};
  profile.functions = {{.name = "main", .module = 0, .is_known = true},
                       {.name = "work", .module = 0, .is_known = true}};
  profile.lines = {"a.c:3", "a.c:9"};
  profile.places = {{0, 0}, {1, 1}};
  profile.nodes = {{kNothing, kNothing}, {0, 0}, {1, 0}, {1, 1}};  // main to main, main to work
  return profile;
}

void add(stacks::StackProfile& profile, BranchCount counted, u32 node, u64 count, u64 period) {
  const auto event = static_cast<u32>(counted);
  profile.events[event].samples += count;
  profile.samples.push_back({.event = event, .node = node, .count = count, .period = period});
}

TEST(BranchReport, EdgesWithShareMispredictionsAndCycles) {
  stacks::StackProfile profile = loop_of_main();
  add(profile, BranchCount::taken, 2, 3, 3);
  add(profile, BranchCount::judged, 2, 2, 2);
  add(profile, BranchCount::mispredicted, 2, 1, 1);
  add(profile, BranchCount::timed, 2, 2, 15);
  add(profile, BranchCount::taken, 3, 1, 1);
  EXPECT_EQ(branches_text(profile, {.rows = 5}),
            "4 taken branches, 50.00 % mispredicted, one in 7.5 cycles on average\n"
            "\n"
            "      %  count  mispredicted  cycles  from  to\n"
            "      =  =====  ============  ======  ====  ==\n"
            "  75.00      3       50.00 %     7.5  main  main\n"
            "  25.00      1             -       -  main  work\n");
  const auto json = nlohmann::json::parse(branches_json(profile, {.lines = true, .rows = 1}));
  const auto& branches = json.at("branches");
  EXPECT_EQ(branches.at("taken"), 4);
  EXPECT_EQ(branches.at("edges").size(), 2u);  // all of them
  EXPECT_EQ(branches["edges"][1]["to"], "work");
  EXPECT_EQ(branches["edges"][1]["to_line"], "a.c:9");
}

// A zero that was not measured would be misleading, so there is no column.
TEST(BranchReport, UnrecordedPredictionsHaveNoColumn) {
  stacks::StackProfile profile = loop_of_main();
  add(profile, BranchCount::taken, 2, 1, 1);
  const std::string text = branches_text(profile, {.rows = 5});
  EXPECT_EQ(text.find("1 taken branch\n"), 0u) << text;
  EXPECT_EQ(text.find("mispredicted"), std::string::npos) << text;
  EXPECT_EQ(text.find("cycles"), std::string::npos) << text;
  EXPECT_EQ(branches_json(profile, {}).find("mean_cycles"), std::string::npos);
}

TEST(BranchReport, RowsThatAreNotShownAreCounted) {
  stacks::StackProfile profile = loop_of_main();
  add(profile, BranchCount::taken, 2, 3, 3);
  add(profile, BranchCount::taken, 3, 1, 1);
  EXPECT_NE(branches_text(profile, {.rows = 1}).find("… and 1 more: --sample-display-row 2\n"), std::string::npos);
}

TEST(BranchReport, PercentagesOfAllBranchesOrOfThoseThatPass) {
  stacks::StackProfile profile = loop_of_main();
  add(profile, BranchCount::taken, 2, 3, 3);
  add(profile, BranchCount::taken, 3, 1, 1);
  BranchOptions options{.filter = {.symbol = [](std::string_view name) { return name == "work"; }}, .rows = 5};
  const std::string absolute = branches_text(profile, options);
  EXPECT_EQ(absolute.find("1 of 4 taken branches\n"), 0u) << absolute;
  EXPECT_NE(absolute.find("  25.00      1  main  work\n"), std::string::npos) << absolute;
  const auto json = nlohmann::json::parse(branches_json(profile, options)).at("branches");
  EXPECT_EQ(json.at("taken"), 1);
  EXPECT_EQ(json.at("taken_in_all"), 4);
  EXPECT_EQ(json.at("edges")[0].at("percent"), 25);
  options.relative = true;
  EXPECT_NE(branches_text(profile, options).find("  100.00      1  main  work\n"), std::string::npos);
}

}  // namespace
}  // namespace wperf::report
