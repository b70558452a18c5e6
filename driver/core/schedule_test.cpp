// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/schedule.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace wperf::driver {
namespace {

std::vector<WperfEventEntry> entries(const std::vector<u32>& groups) {
  std::vector<WperfEventEntry> list;
  for (const u32 group : groups) {
    list.push_back({0x1b, static_cast<u16>(group)});
  }
  return list;
}
constexpr u32 kNone = WPERF_NO_GROUP;

bool together(const std::vector<u32>& groups, u32 counters) {
  return groups_stay_together(entries(groups).data(), {static_cast<u32>(groups.size()), counters});
}

TEST(Schedule, RunningFirstEntryEqualsTheFormula) {
  for (u32 counters = 1; counters <= 31; ++counters) {
    for (u32 length = 1; length <= 127; ++length) {
      const Ring ring{length, counters};
      ASSERT_EQ(ring.used(), std::min(length, counters));
      u32 first = 0;
      for (u32 slot = 0; slot < 300; ++slot) {
        for (u32 i = 0; i < ring.used(); ++i) {
          const u32 expected = ring.multiplexed() ? (counters * slot + i) % length : i;
          ASSERT_EQ(ring.entry_on(first, i), expected) << length << " entries on " << counters << ", slot " << slot;
        }
        first = ring.next_first(first);
      }
    }
  }
}

TEST(Schedule, GroupsWithinABlockStay) {
  EXPECT_TRUE(together({0, 0, kNone, kNone}, 6)) << "all fit: one slot for ever";
  EXPECT_TRUE(together({0, 0, kNone, 1, 1, 1}, 3));
  EXPECT_TRUE(together({0, kNone, 0, 1, 1, 1}, 3)) << "one slot is what matters, not neighbourhood";
  EXPECT_TRUE(together({0, 0, 1, 1, 2, 2}, 4)) << "slots begin at every second entry";
}

TEST(Schedule, GroupsOverABorderAreFound) {
  EXPECT_FALSE(together({kNone, kNone, 0, 0, kNone, kNone}, 3));
  EXPECT_FALSE(together({0, 0, kNone, kNone, kNone, kNone, kNone}, 6)) << "7 on 6 drifts: every border comes along";
  EXPECT_FALSE(together({0, kNone, kNone, kNone, kNone, 0}, 3)) << "first and last";
  EXPECT_FALSE(together({0, 0, 0, 0, kNone, kNone, kNone, kNone}, 3)) << "larger than a slot";
}

// Compares the arithmetic rule with a simulation of all slots.
TEST(Schedule, GroupRuleEqualsBruteForce) {
  std::mt19937 random(3);
  u32 apart = 0;
  for (int round = 0; round < 4000; ++round) {
    const u32 counters = 1 + random() % 8;
    std::vector<u32> groups(1 + random() % 24);
    for (u32& group : groups) {
      group = random() % 3 == 0 ? random() % 4 : kNone;
    }
    const u32 length = static_cast<u32>(groups.size());
    bool expected = true;
    for (u32 slot = 0; length > counters && slot < length; ++slot) {
      std::vector<bool> on(length);
      for (u32 i = 0; i < counters; ++i) {
        on[(counters * slot + i) % length] = true;
      }
      for (u32 i = 0; i < length; ++i) {
        for (u32 k = 0; k < length; ++k) {
          expected = expected && (groups[i] == kNone || groups[i] != groups[k] || on[i] == on[k]);
        }
      }
    }
    ASSERT_EQ(together(groups, counters), expected) << "round " << round;
    apart += expected ? 0 : 1;
  }
  EXPECT_GT(apart, 100u) << "the inputs must reach both answers";
  EXPECT_LT(apart, 3900u);
}

}  // namespace
}  // namespace wperf::driver
