// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/page_ranges.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace wperf::sim::nt {
namespace {

using Parts = std::vector<std::pair<u64, u64>>;

Parts parts(const PageRanges& ranges, u64 begin, u64 end) {
  Parts found;
  ranges.for_each(begin, end, [&](u64 from, u64 until) { found.emplace_back(from, until); });
  return found;
}

TEST(PageRanges, CountsOnlyWhatIsNew) {
  PageRanges ranges;
  EXPECT_EQ(ranges.add(10, 20), 10U);
  EXPECT_EQ(ranges.add(10, 20), 0U);
  EXPECT_EQ(ranges.add(15, 25), 5U);
  EXPECT_EQ(ranges.add(30, 40), 10U);
  EXPECT_EQ(parts(ranges, 0, 100), (Parts{{10, 25}, {30, 40}}));
  EXPECT_EQ(ranges.add(5, 50), 20U);
  EXPECT_EQ(parts(ranges, 0, 100), (Parts{{5, 50}}));
}

TEST(PageRanges, RangesThatTouchBecomeOne) {
  PageRanges ranges;
  ranges.add(10, 20);
  ranges.add(20, 30);
  ranges.add(0, 10);
  EXPECT_EQ(parts(ranges, 0, 100), (Parts{{0, 30}}));
}

TEST(PageRanges, OnlyTheWantedPartIsVisited) {
  PageRanges ranges;
  ranges.add(10, 20);
  ranges.add(30, 40);
  EXPECT_EQ(parts(ranges, 15, 35), (Parts{{15, 20}, {30, 35}}));
  EXPECT_EQ(parts(ranges, 20, 30), Parts{});
  EXPECT_EQ(parts(ranges, 35, 32), Parts{});
}

}  // namespace
}  // namespace wperf::sim::nt
