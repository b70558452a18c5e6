// SPDX-License-Identifier: BSD-3-Clause
// Compares sums along stacks with a reference that walks from each sample to the root. Also tests stacks so deep that
// such a walk would take forever.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "model/stacks/call_tree.h"
#include "model/stacks/shared_paths.h"

namespace wperf::stacks {
namespace {

// There are few functions, so that they often call themselves and each other, and several lines in each.
StackProfile random_profile(u32 seed) {
  std::mt19937 chance(seed);
  const auto any_of = [&](u32 count) { return static_cast<u32>(chance() % count); };
  StackProfile profile;
  profile.events = {{"cycles"}, {"other"}};
  profile.names = {"one", "two"};
  profile.tasks = {{1, 1, 0}, {1, 2, 0}, {3, 3, 1}};
  profile.modules = {{"prog", "/bin/prog", ""}, {"lib", "/lib/lib", ""}};
  const u32 functions = 2 + any_of(6), nodes = 2 + any_of(60);
  for (u32 i = 0; i < functions; ++i) profile.functions.push_back({"f" + std::to_string(i), i % 2, true, false});
  profile.lines = {"a.c:1", "a.c:2"};
  for (u32 i = 0; i < functions; ++i) {
    for (const u32 line : {u32{0}, u32{1}}) profile.places.push_back({i, line});
  }
  profile.nodes.push_back({});
  const bool is_deep = any_of(2) == 0;
  for (u32 i = 1; i < nodes; ++i) {
    const u32 parent = is_deep ? i - 1 - any_of(std::min<u32>(i, 2)) : any_of(i);
    profile.nodes.push_back({parent, any_of(functions * 2)});
  }
  for (u32 i = any_of(80); i-- > 0;) {
    StackSample sample{
        .event = any_of(4) == 0 ? 1u : 0u, .task = any_of(3), .core = any_of(2), .node = 1 + any_of(nodes - 1)};
    sample.count = 1 + any_of(3);
    sample.period = any_of(50);
    profile.samples.push_back(sample);
  }
  return profile;
}

std::vector<u32> path_to(const StackProfile& profile, u32 node) {
  std::vector<u32> path;  // the innermost first
  for (; profile.nodes[node].place != kNothing; node = profile.nodes[node].parent) path.push_back(node);
  return path;
}

u32 function_at(const StackProfile& profile, u32 node) {
  return profile.function_of(node);
}

struct Sums {
  u64 self = 0, all = 0, samples = 0;
  bool operator==(const Sums&) const = default;
};
// comm, pid, tid, core, module, function, line
using RowKey = std::tuple<u32, u32, u32, u32, u32, u32, u32>;
using SumsByRow = std::map<RowKey, Sums>;

SumsByRow rows_by_walks(const StackProfile& profile, u32 event, const std::set<SortKey>& keys) {
  SumsByRow out;
  const auto wanted = [&](SortKey key, u32 value) { return keys.contains(key) ? value : kNothing; };
  for (const StackSample& sample : profile.samples) {
    if (sample.event != event) continue;
    const StackTask& task = profile.tasks[sample.task];
    std::set<RowKey> counted;
    for (const u32 node : path_to(profile, sample.node)) {
      const StackPlace& place = profile.places[profile.nodes[node].place];
      const RowKey row{wanted(SortKey::comm, task.name),
                       wanted(SortKey::pid, task.pid),
                       wanted(SortKey::tid, task.tid),
                       wanted(SortKey::core, sample.core),
                       wanted(SortKey::module, profile.functions[place.function].module),
                       wanted(SortKey::symbol, place.function),
                       wanted(SortKey::line, place.line)};
      if (node == sample.node) out[row].self += sample.period;
      if (!counted.insert(row).second) continue;
      out[row].all += sample.period;
      out[row].samples += sample.count;
    }
  }
  return out;
}

TEST(DeepStacks, RowsAreThoseOfWalks) {
  using enum SortKey;
  const std::vector<std::vector<SortKey>> choices = {{symbol}, {module},     {symbol, line}, {comm, module, symbol},
                                                     {tid},    {core, line}, {pid, symbol}};
  for (u32 seed = 0; seed < 150; ++seed) {
    const StackProfile profile = random_profile(seed);
    for (const std::vector<SortKey>& keys : choices) {
      SumsByRow got;
      for (const StackRow& row : make_rows(profile, 0, keys, {}, true).rows) {
        got[{row.comm, row.pid, row.tid, row.core, row.module, row.function, row.line}] = {
            row.self_period, row.all_period, row.all_samples};
      }
      ASSERT_EQ(got, rows_by_walks(profile, 0, {keys.begin(), keys.end()})) << seed;
    }
  }
}

// A path of labels from the root → the sums of that path.
using SumsByPath = std::map<std::vector<u32>, std::pair<u64, u64>>;

SumsByPath sums_of(const CallTree& tree) {
  SumsByPath out;
  std::vector<std::vector<u32>> paths(1);
  for (usize i = 1; i < tree.nodes().size(); ++i) {
    const CallNode& node = tree.nodes()[i];
    paths.push_back(paths[node.parent]);
    paths.back().push_back(node.label);
    EXPECT_TRUE(out.try_emplace(paths.back(), node.self_period, node.all_period).second);
  }
  return out;
}

// Adds to a path and to all paths above it.
void add_path(const std::vector<u32>& path, u64 period, SumsByPath& out) {
  std::vector<u32> part;
  for (const u32 label : path) {
    part.push_back(label);
    out[part].second += period;
  }
  out[path].first += period;
}

TEST(DeepStacks, FoldedTreesAreThoseOfWalks) {
  for (u32 seed = 0; seed < 150; ++seed) {
    const StackProfile profile = random_profile(seed);
    SumsByPath expected;
    for (const StackSample& sample : profile.samples) {
      if (sample.event != 0) continue;
      std::vector<u32> path{profile.tasks[sample.task].name};
      const std::vector<u32> nodes = path_to(profile, sample.node);
      for (usize i = nodes.size(); i-- > 0;) path.push_back(function_at(profile, nodes[i]));
      add_path(path, sample.period, expected);
    }
    ASSERT_EQ(sums_of(make_folded_tree(profile, 0, {})), expected) << seed;
  }
}

TEST(DeepStacks, CalleeTreesAreThoseOfWalks) {
  for (u32 seed = 0; seed < 150; ++seed) {
    const StackProfile profile = random_profile(seed);
    std::vector<u32> functions;
    for (u32 i = 0; i < profile.functions.size(); ++i) {
      if ((seed >> (i % 5) & 1) != 0) functions.push_back(i);
    }
    SumsByPath expected;
    for (const u32 function : functions) expected[{function}];
    for (const StackSample& sample : profile.samples) {
      if (sample.event != 0) continue;
      const std::vector<u32> nodes = path_to(profile, sample.node);
      std::vector<u32> labels;
      for (usize i = nodes.size(); i-- > 0;) labels.push_back(function_at(profile, nodes[i]));
      for (const u32 function : functions) {
        const auto first = std::find(labels.begin(), labels.end(), function);
        if (first != labels.end()) add_path({first, labels.end()}, sample.period, expected);
      }
    }
    ASSERT_EQ(sums_of(make_callee_tree(profile, 0, functions, {})), expected) << seed;
  }
}

// One chain of calls with a sample at each level. Its calls alternate between `functions` functions.
StackProfile chain(u32 depth, u32 functions) {
  StackProfile profile;
  profile.events = {{"cycles", depth, depth}};
  profile.names = {"one"};
  profile.tasks = {{1, 1, 0}};
  profile.modules = {{"prog", "/bin/prog", ""}};
  for (u32 i = 0; i < functions; ++i) {
    profile.functions.push_back({"f" + std::to_string(i), 0, true, false});
    profile.places.push_back({i});
  }
  profile.nodes.push_back({});
  for (u32 i = 0; i < depth; ++i) {
    profile.nodes.push_back({i, i % functions});
    profile.samples.push_back({.node = i + 1, .count = 1, .period = 1});
  }
  return profile;
}

// Walking up from each sample would take more than 10^9 steps.
TEST(DeepStacks, CostNoMoreThanTheirNodes) {
  constexpr u32 kDepth = 50'000;
  for (const u32 functions : {u32{1}, u32{7}, kDepth}) {
    const StackProfile profile = chain(kDepth, functions);
    const StackRows rows = make_rows(profile, 0, {SortKey::symbol}, {}, true);
    ASSERT_EQ(rows.rows.size(), functions);
    EXPECT_EQ(rows.rows[0].function, 0u);
    EXPECT_EQ(rows.rows[0].all_samples, kDepth);
    EXPECT_EQ(rows.rows.back().all_samples, kDepth - functions + 1);
    EXPECT_EQ(make_folded_tree(profile, 0, {}).nodes().size(), kDepth + 2u);
    EXPECT_EQ(make_call_tree(profile, 0, {}).nodes().size(), kDepth + 1u);
    const std::vector<u32> wanted = functions == 7 ? std::vector<u32>{0, 1, 2, 3, 4, 5, 6} : std::vector<u32>{0};
    const CallTree callees = make_callee_tree(profile, 0, wanted, {});
    usize expected = 1;
    for (const u32 function : wanted) expected += kDepth - function;
    EXPECT_EQ(callees.nodes().size(), expected);
    EXPECT_EQ(callees.nodes()[1].all_samples, kDepth);
  }
}

TEST(DeepStacks, CallersEndAfterSoManyCalls) {
  constexpr u32 kDepth = 3 * kMostCallers;
  const CallTree alone = make_caller_tree(chain(kDepth, 1), 0, {0}, {});
  EXPECT_EQ(alone.nodes().size(), 1 + kMostCallers + 1);
  EXPECT_EQ(alone.nodes()[1].all_samples, kDepth);
  EXPECT_EQ(alone.cut_samples, kDepth - kMostCallers - 1);
  const CallTree two = make_caller_tree(chain(kDepth, 2), 0, {0, 1}, {});
  EXPECT_EQ(two.nodes().size(), 1 + 2 * (kMostCallers + 1));
  EXPECT_EQ(two.cut_samples, kDepth - kMostCallers - 1);
  EXPECT_EQ(make_caller_tree(chain(kMostCallers + 1, 1), 0, {0}, {}).cut_samples, 0u);
}

TEST(SharedPaths, EachNodeIsAddedOnceForEachKey) {
  const std::vector<StackNode> nodes = {{}, {0, 0}, {1, 0}, {2, 0}, {1, 0}};
  SharedPaths paths(nodes);
  const SharedPaths::Path first = paths.walk(3, 0);
  EXPECT_EQ(std::vector<u32>(first.added.begin(), first.added.end()), (std::vector<u32>{1, 2, 3}));
  EXPECT_EQ(first.above, kNothing);
  EXPECT_EQ(first.last, 2u);
  const SharedPaths::Path side = paths.walk(4, 0);
  EXPECT_EQ(std::vector<u32>(side.added.begin(), side.added.end()), std::vector<u32>{4});
  EXPECT_EQ(side.above, 0u);
  EXPECT_EQ(side.last, 3u);
  const SharedPaths::Path again = paths.walk(2, 0);
  EXPECT_TRUE(again.added.empty());
  EXPECT_EQ(again.last, 1u);
  EXPECT_EQ(paths.walk(2, 1).added.size(), 2u);
  EXPECT_EQ(paths.caller(3), 0u);
  EXPECT_EQ(paths.node(3), 4u);
}

}  // namespace
}  // namespace wperf::stacks
