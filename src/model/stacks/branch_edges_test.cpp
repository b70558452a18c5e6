// SPDX-License-Identifier: BSD-3-Clause
#include "model/stacks/branch_edges.h"

#include <gtest/gtest.h>

namespace wperf::stacks {
namespace {

// main (prog) and copy (libc), in two threads. The nodes are the root, main as source, copy and main as targets, copy
// as source, and main as its target.
StackProfile two_functions() {
  StackProfile profile;
  profile.names = {"first", "second"};
  profile.tasks = {{1, 1, 0}, {1, 2, 1}};
  profile.modules = {{.name = "prog", .path = {}, .reason = {}}, {.name = "libc", .path = {}, .reason = {}}};
  profile.functions = {{.name = "main", .module = 0, .is_known = true},
                       {.name = "copy", .module = 1, .is_known = true}};
  profile.places = {{0, kNothing}, {1, kNothing}};
  profile.nodes = {{kNothing, kNothing}, {0, 0}, {1, 1}, {1, 0}, {0, 1}, {4, 0}};
  const auto add = [&](BranchCount counted, u32 task, u32 node, u64 count, u64 period) {
    profile.samples.push_back(
        {.event = static_cast<u32>(counted), .task = task, .core = 0, .node = node, .count = count, .period = period});
  };
  add(BranchCount::taken, 0, 2, 10, 10);
  add(BranchCount::judged, 0, 2, 8, 8);
  add(BranchCount::mispredicted, 0, 2, 2, 2);
  add(BranchCount::timed, 0, 2, 5, 40);
  add(BranchCount::taken, 1, 2, 1, 1);
  add(BranchCount::taken, 0, 3, 30, 30);
  add(BranchCount::taken, 1, 5, 7, 7);
  return profile;
}

TEST(BranchEdges, AreSumsOfThreadsTheMostFrequentFirst) {
  const BranchEdges edges = branch_edges(two_functions(), {});
  ASSERT_EQ(edges.rows.size(), 3u);
  EXPECT_EQ(edges.rows[0].taken, 30u);
  EXPECT_EQ(edges.rows[0].from, 0u);
  EXPECT_EQ(edges.rows[0].to, 0u);
  const BranchEdge& call = edges.rows[1];
  EXPECT_EQ(call.from, 0u);
  EXPECT_EQ(call.to, 1u);
  EXPECT_EQ(call.taken, 11u);
  EXPECT_EQ(call.judged, 8u);
  EXPECT_EQ(call.mispredicted, 2u);
  EXPECT_EQ(call.timed, 5u);
  EXPECT_EQ(call.cycles, 40u);
  EXPECT_EQ(edges.rows[2].taken, 7u);
  EXPECT_EQ(edges.all.taken, 48u);
}

TEST(BranchEdges, OneEndIsEnoughForAFilter) {
  const StackProfile profile = two_functions();
  EXPECT_EQ(branch_edges(profile, {.modules = {"libc"}}).all.taken, 18u);  // branches into it and out of it
  EXPECT_EQ(branch_edges(profile, {.tids = {2}}).all.taken, 8u);
  EXPECT_EQ(branch_edges(profile, {.comms = {"first"}, .modules = {"libc"}}).all.taken, 10u);
  EXPECT_TRUE(branch_edges(profile, {.pids = {9}}).rows.empty());
}

}  // namespace
}  // namespace wperf::stacks
