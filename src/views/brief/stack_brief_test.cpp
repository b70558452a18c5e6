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
  // Without numbers, names are all that is known.
  EXPECT_TRUE(speaks_of_threads(two_tasks({{kNothing, kNothing, 0}, {kNothing, kNothing, 1}})));
}

}  // namespace
}  // namespace wperf::brief
