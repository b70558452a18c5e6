// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/processor_place.h"

#include <gtest/gtest.h>

namespace wperf::windows {
namespace {

TEST(ProcessorPlace, CountsThroughTheGroups) {
  const u32 sizes[] = {64, 64, 32};
  EXPECT_EQ(place_of_core(0, sizes)->mask, 1u);
  EXPECT_EQ(place_of_core(63, sizes)->group, 0);
  EXPECT_EQ(place_of_core(63, sizes)->mask, u64{1} << 63);
  EXPECT_EQ(place_of_core(64, sizes)->group, 1);
  EXPECT_EQ(place_of_core(64, sizes)->mask, 1u);
  EXPECT_EQ(place_of_core(159, sizes)->group, 2);
  EXPECT_EQ(place_of_core(159, sizes)->mask, u64{1} << 31);
  EXPECT_FALSE(place_of_core(160, sizes).has_value());
}

TEST(ProcessorPlace, GroupsNeedNotBeFull) {
  const u32 sizes[] = {40, 40};
  EXPECT_EQ(place_of_core(39, sizes)->group, 0);
  EXPECT_EQ(place_of_core(40, sizes)->group, 1);
}

}  // namespace
}  // namespace wperf::windows
