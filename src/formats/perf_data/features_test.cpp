// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/features.h"

#include <gtest/gtest.h>

namespace wperf::perf_data {
namespace {

TEST(KernelList, WhatIsNoListEndsIt) {
  EXPECT_EQ(parse_kernel_list("0-1,4"), (std::vector<u32>{0, 1, 4}));
  EXPECT_EQ(parse_kernel_list("3"), std::vector<u32>{3});
  EXPECT_TRUE(parse_kernel_list("").empty());
  EXPECT_TRUE(parse_kernel_list("x").empty());
  EXPECT_EQ(parse_kernel_list("1,x,2"), std::vector<u32>{1});
  EXPECT_TRUE(parse_kernel_list("0-4294967295").empty());
}

TEST(KernelList, MustAscend) {
  EXPECT_EQ(parse_kernel_list("0-8191,0-8191").size(), 8192u);
  EXPECT_EQ(parse_kernel_list("4,2,7"), std::vector<u32>{4});
}

}  // namespace
}  // namespace wperf::perf_data
