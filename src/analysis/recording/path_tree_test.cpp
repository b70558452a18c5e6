// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/path_tree.h"

#include <gtest/gtest.h>

#include <random>

namespace wperf::recording {
namespace {

std::vector<std::vector<u32>> paths_by_chance(u32 count) {
  std::mt19937 chance(3);
  std::vector<std::vector<u32>> paths(count);
  for (std::vector<u32>& path : paths) {
    for (auto depth = chance() % 9; depth > 0; --depth) path.push_back(static_cast<u32>(chance() % 4));
  }
  return paths;
}

u32 insert(PathTree& tree, const std::vector<u32>& path) {
  u32 node = PathTree::kRoot;
  for (const u32 key : path) node = tree.insert(node, key, key * 10);
  return node;
}

TEST(PathTree, TwoThatAreJoinedAreTheOneThatHadAllPaths) {
  const auto paths = paths_by_chance(2000);
  for (const usize middle : {usize{0}, usize{1}, usize{700}, paths.size()}) {
    PathTree all, first, second;
    std::vector<u32> node_in_all, node;
    for (usize i = 0; i < paths.size(); ++i) {
      node_in_all.push_back(insert(all, paths[i]));
      node.push_back(insert(i < middle ? first : second, paths[i]));
    }
    const std::vector<u32> here = first.join(second);
    for (usize i = middle; i < paths.size(); ++i) node[i] = here[node[i]];
    EXPECT_EQ(node, node_in_all) << middle;
    const auto nodes = first.take_nodes(), expected = all.take_nodes();
    ASSERT_EQ(nodes.size(), expected.size());
    for (usize i = 1; i < nodes.size(); ++i) {
      EXPECT_EQ(nodes[i].parent, expected[i].parent);
      EXPECT_EQ(nodes[i].place, expected[i].place);
    }
  }
}

}  // namespace
}  // namespace wperf::recording
