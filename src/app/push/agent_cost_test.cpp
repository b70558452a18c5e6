// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/agent_cost.h"

#include <gtest/gtest.h>

namespace wperf::push {
namespace {

TEST(AgentCost, StandsBesideWhatIsThere) {
  stacks::StackProfile profile;
  profile.events.push_back({.name = "cycles", .samples = 3, .period = 30});
  add_agent_cost({.cpu_ns = 5, .resident_bytes = 7, .pid = 9}, profile);
  ASSERT_EQ(profile.events.size(), 3u);
  EXPECT_EQ(profile.events[0].samples, 3u);
  EXPECT_EQ(profile.events[1].name, kAgentCpu);
  EXPECT_EQ(profile.events[2].period, 7u);
  ASSERT_EQ(profile.samples.size(), 2u);
  const stacks::StackSample& cpu = profile.samples[0];
  EXPECT_EQ(cpu.count, 5u);
  EXPECT_EQ(profile.tasks[cpu.task].pid, 9u);
  EXPECT_EQ(profile.functions[profile.places[profile.nodes[cpu.node].place].function].name, "wperf (the profiler)");
  EXPECT_EQ(profile.nodes[profile.nodes[cpu.node].parent].place, stacks::kNothing);
}

TEST(AgentCost, WhatIsNotKnownIsNotThere) {
  stacks::StackProfile profile;
  add_agent_cost({.cpu_ns = 5, .resident_bytes = 0, .pid = 9}, profile);
  EXPECT_EQ(profile.events.size(), 1u);
}

}  // namespace
}  // namespace wperf::push
