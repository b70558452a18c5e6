// SPDX-License-Identifier: BSD-3-Clause
// The text of `diff`, compared with tests/golden/diff_*.txt and .md.
#include <gtest/gtest.h>

#include "analysis/compare/gate.h"
#include "analysis/compare/total_changes.h"
#include "views/report/diff_report.h"
#include "views/report/golden_profiles.h"

namespace wperf::report {
namespace {

using compare::RunCosts;
using compare::Unit;
using compare::UnitKind;
using testing::expect_golden;

// One event, with samples of functions in one module.
RunCosts made_run(std::string file, std::initializer_list<std::pair<const char*, double>> samples) {
  RunCosts run;
  run.file = std::move(file);
  run.seconds = 2;
  compare::EventCosts event{.event = "cycles", .units = {}, .inlined = {}, .scatters = {}};
  run.units.push_back({.kind = UnitKind::module, .module = "prog", .name = {}, .key = {}, .begins = {}});
  event.units.emplace_back();
  for (const auto& [name, count] : samples) {
    run.units.push_back({.kind = UnitKind::function, .module = "prog", .name = name, .key = name, .begins = {}});
    event.units.push_back({.cost = count * 1000, .samples = count});
    event.units[0].cost += count * 1000;
    event.units[0].samples += count;
  }
  event.cost = event.units[0].cost;
  event.samples = event.units[0].samples;
  run.events.push_back(std::move(event));
  run.losses = {"12 samples were lost"};
  return run;
}

compare::Comparison one_run_a_side() {
  RunCosts before =
      made_run("old.data", {{"parse", 4000}, {"emit", 3000}, {"render", 2000}, {"old_table", 500}, {"rare", 2}});
  RunCosts after =
      made_run("new.data", {{"parse", 0}, {"emit", 2400}, {"render", 7010}, {"new_list", 300}, {"rare", 3}});
  // parse is now inlined into render, so its cost is part of the cost of render.
  after.events[0].inlined = {{.units = {1, 3}, .cost = 5'000'000, .samples = 5000}};
  return compare::compare_runs({before}, {after}, {}).value();
}

compare::Comparison five_runs_a_side() {
  std::vector<RunCosts> sides[2];
  for (int side = 0; side < 2; ++side) {
    for (int run = 0; run < 5; ++run) {
      const double drift = 3.0 * ((run * 7) % 5 - 2);
      RunCosts one = made_run("run" + std::to_string(side) + std::to_string(run) + ".data",
                              {{"parse", (side == 0 ? 4000 : 4200) + 4 * drift}, {"emit", 3000 - 5 * drift}});
      one.losses.clear();
      one.counts = {{"inst_retired", 1e6 + 1000 * side + 10 * run}};
      sides[side].push_back(std::move(one));
    }
  }
  return compare::compare_runs(sides[0], sides[1], {.per = compare::Per::run, .counter = {}}).value();
}

TEST(DiffGolden, OneRunASide) {
  const compare::Comparison found = one_run_a_side();
  expect_golden("diff_one_run.txt", diff_text(found, {}));
  expect_golden("diff_one_run_verbose.txt", diff_text(found, {.verbose = true, .width = 80}));
}

TEST(DiffGolden, FiveRunsASideAndTheirGate) {
  const compare::Comparison found = five_runs_a_side();
  const auto verdicts = compare::judge(found, {request::parse_fail_condition("inst_retired>0.05%").value(),
                                               request::parse_fail_condition("function:emit>5%").value(),
                                               request::parse_fail_condition("function:absent>5%").value()});
  expect_golden("diff_five_runs.txt", diff_text(found, {}) + '\n' + gate_text(verdicts));
  expect_golden("diff_five_runs.md", diff_markdown(found, verdicts, {}));
  expect_golden("diff_five_runs.xml", gate_junit(verdicts));
}

TEST(DiffText, TheFirstLineBeginsWithSureChangesAndNamesWhatIsGone) {
  std::vector<RunCosts> sides[2];
  for (int run = 0; run < 4; ++run) {
    for (const int side : {0, 1}) {
      RunCosts one;
      one.seconds = 1;
      one.counts = {
          {"a", 100}, {"b", 100}, {"c", 100}, {"grew", side == 0 ? 100.0 : 500.0}, {"gone", side == 0 ? 5.0 : 0}};
      sides[side].push_back(std::move(one));
    }
  }
  compare::Comparison found = compare::compare_runs(sides[0], sides[1], {}).value();
  compare::review_totals(found, {});
  const std::string text = headline_text(found);
  EXPECT_TRUE(
      text.starts_with("grew grew by 400 % (100 to 500, interval +400 to +400 %), gone is gone (5.00 to 0), elapsed"))
      << text;
}

TEST(DiffText, NamesAreOneLineAndNoMarkup) {
  const char* const name = "f\x1b[31m\n\x07@somebody\xff'";
  const compare::Comparison found =
      compare::compare_runs({made_run("a", {{name, 1000}})}, {made_run("b", {{name, 2000}})},
                            {.per = compare::Per::run, .counter = {}})
          .value();
  const std::string comment = diff_markdown(found, {}, {}), text = diff_text(found, {});
  EXPECT_NE(comment.find("&#64;somebody\xef\xbf\xbd'"), std::string::npos) << comment;
  for (const char harmful : {'\x1b', '\x07', '@', '\xff'})
    EXPECT_EQ(comment.find(harmful), std::string::npos) << comment;
  EXPECT_NE(text.find("@somebody"), std::string::npos);
  for (const char harmful : {'\x1b', '\x07'}) EXPECT_EQ(text.find(harmful), std::string::npos) << text;
  EXPECT_EQ(text.find("\n\x07"), std::string::npos);
}

}  // namespace
}  // namespace wperf::report
