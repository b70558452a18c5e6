// SPDX-License-Identifier: BSD-3-Clause
#include "sim/memory/lru_sets.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

TEST(LruSets, EvictsTheLeastRecentlyUsedOfTheSet) {
  LruSets sets(8, 4);  // two sets: even and odd keys
  for (const u64 key : {0U, 2U, 4U, 6U}) EXPECT_FALSE(sets.insert(key, false).valid);
  EXPECT_TRUE(sets.touch(0, false));
  const auto victim = sets.insert(8, false);
  EXPECT_TRUE(victim.valid);
  EXPECT_EQ(victim.key, 2U);
  EXPECT_FALSE(victim.dirty);
  EXPECT_FALSE(sets.touch(2, false));
  for (const u64 key : {0U, 4U, 6U, 8U}) EXPECT_TRUE(sets.contains(key)) << key;
  EXPECT_FALSE(sets.insert(1, false).valid) << "the other set is empty";
}

TEST(LruSets, DirtStaysUntilEviction) {
  LruSets sets(2, 2);
  sets.insert(10, false);
  sets.insert(11, false);
  EXPECT_TRUE(sets.touch(10, true));
  EXPECT_TRUE(sets.touch(11, false));
  EXPECT_TRUE(sets.touch(10, false));
  EXPECT_TRUE(sets.touch(11, false));
  const auto first = sets.insert(12, true);
  EXPECT_EQ(first.key, 10U);
  EXPECT_TRUE(first.dirty);
  EXPECT_FALSE(sets.insert(13, false).dirty);
  EXPECT_TRUE(sets.insert(14, false).dirty);
}

TEST(LruSets, HoldsExactlyItsEntriesWhateverTheNumberOfSets) {
  for (const u64 entries : {48U, 64U, 60U, 1280U}) {
    LruSets sets(entries, 4);
    for (u64 key = 0; key < entries; ++key) EXPECT_FALSE(sets.insert(key, false).valid);
    for (u64 key = 0; key < entries; ++key) EXPECT_TRUE(sets.touch(key, false));
    EXPECT_TRUE(sets.insert(entries, false).valid);
  }
}

TEST(LruSets, AddressSpacesDoNotShareLines) {
  LruSets sets(1024, 4);
  sets.insert(line_key(1, 0x7ff600001040), false);
  EXPECT_TRUE(sets.touch(line_key(1, 0x7ff60000107f), false));
  EXPECT_FALSE(sets.touch(line_key(2, 0x7ff600001040), false));
  EXPECT_EQ(line_key(1, 0x7ff600001040) % 256, line_key(2, 0x7ff600001040) % 256) << "same set";
}

}  // namespace
}  // namespace wperf::sim
