// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/thread_ends.h"

#include <gtest/gtest.h>

namespace wperf::recording {
namespace {

using stacks::Leaving;
using stacks::Switch;

Switch switched(u64 time, u16 core, u32 leaves, u32 comes, Leaving leaving = Leaving::waits) {
  return {.time = time, .leaves = leaves, .comes = comes, .core = core, .leaving = leaving};
}
Switch exit_of(u64 time, u32 thread) {
  return {.time = time, .leaves = thread, .core = 0, .leaving = Leaving::ended};
}

// All threads belong to process 7.
std::vector<Switch> settled(ThreadEnds ends, std::vector<Switch> switches) {
  settle_ends(std::move(ends), [](u32) { return 7u; }, switches);
  return switches;
}
std::vector<Switch> renames(const std::vector<Switch>& switches) {
  std::vector<Switch> found;
  for (const Switch& one : switches) {
    if (one.kind == stacks::Kind::renamed) found.push_back(one);
  }
  return found;
}

TEST(ThreadEnds, AThreadLeavesForTheLastTimeAfterItsEnd) {
  const auto done = settled(
      {.exits = {exit_of(20, 7)}, .execs = {}},
      {switched(10, 0, 0, 7), switched(22, 0, 7, 8, Leaving::preempted), switched(24, 0, 8, 7), switched(26, 0, 7, 0)});
  ASSERT_EQ(done.size(), 4u);
  EXPECT_EQ(done[1].leaving, Leaving::preempted) << "it has not left for good";
  EXPECT_EQ(done[3].leaving, Leaving::ended);
}

TEST(ThreadEnds, AnEndWithoutALastSwitchIsOne) {
  const auto done = settled({.exits = {exit_of(20, 7)}, .execs = {}}, {switched(10, 0, 0, 7), switched(30, 1, 0, 8)});
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[1].time, 20u);
  EXPECT_EQ(done[1].leaves, 7u);
}

TEST(ThreadEnds, ARecordingMayStopWhileAThreadIsExiting) {
  const std::vector<Switch> switches = {switched(10, 0, 0, 7), switched(22, 0, 7, 8, Leaving::preempted),
                                        switched(24, 0, 8, 7)};
  const auto done = settled({.exits = {exit_of(20, 7)}, .execs = {}}, switches);
  ASSERT_EQ(done.size(), switches.size()) << "an end before these switches would contradict them";
  EXPECT_EQ(done[1].leaving, Leaving::preempted);
}

TEST(ThreadEnds, AThreadHasItsNewNumberFromItsFirstSwitchWithIt) {
  const auto done = settled({.exits = {exit_of(20, 7)}, .execs = {{.time = 50, .process = 7}}},
                            {switched(10, 0, 0, 7), switched(12, 1, 0, 8), switched(22, 0, 7, 0),
                             switched(40, 1, 7, 0, Leaving::preempted), switched(45, 1, 0, 7), switched(60, 1, 7, 0)});
  const auto found = renames(done);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].time, 40u);
  EXPECT_EQ(found[0].leaves, 8u);
  EXPECT_EQ(found[0].comes, 7u);
  EXPECT_EQ(done.back().leaving, Leaving::waits) << "it did not end";
}

// The kernel exchanges the numbers of both threads while the first thread is leaving its core.
TEST(ThreadEnds, TheFirstThreadMayLeaveUnderTheNumberOfTheOther) {
  const auto done = settled(
      {.exits = {exit_of(20, 7)}, .execs = {{.time = 50, .process = 7}}},
      {switched(10, 0, 0, 7), switched(12, 1, 0, 8), switched(22, 0, 8, 0, Leaving::ended), switched(60, 1, 7, 0)});
  EXPECT_EQ(done[2].leaves, 7u);
  ASSERT_EQ(renames(done).size(), 1u);
  EXPECT_EQ(renames(done)[0].time, 50u);
  EXPECT_EQ(renames(done)[0].leaves, 8u);
}

TEST(ThreadEnds, AnExecOfTheFirstThreadChangesNothing) {
  EXPECT_TRUE(renames(settled({.exits = {exit_of(20, 8), exit_of(90, 7)}, .execs = {{.time = 50, .process = 7}}},
                              {switched(10, 0, 0, 7), switched(12, 1, 0, 8), switched(22, 1, 8, 0),
                               switched(60, 0, 7, 0), switched(70, 0, 0, 7), switched(95, 0, 7, 0)}))
                  .empty());
}

TEST(ThreadEnds, OfTwoThatMayGoOnNeitherDoes) {
  EXPECT_TRUE(renames(settled({.exits = {exit_of(20, 7)}, .execs = {{.time = 50, .process = 7}}},
                              {switched(10, 0, 0, 7), switched(12, 1, 0, 8), switched(14, 2, 0, 9),
                               switched(22, 0, 7, 0), switched(60, 1, 7, 0)}))
                  .empty());
}

}  // namespace
}  // namespace wperf::recording
