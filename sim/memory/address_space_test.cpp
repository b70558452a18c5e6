// SPDX-License-Identifier: BSD-3-Clause
#include "sim/memory/address_space.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wperf::sim {
namespace {

TEST(AddressSpace, MapsZeroedPagesAndRefusesOverlapsAndOddRanges) {
  AddressSpace space;
  EXPECT_TRUE(space.map(0x10000, 0x2000, kRead));
  EXPECT_FALSE(space.map(0x11000, 0x1000, kRead));
  EXPECT_FALSE(space.map(0xf000, 0x2000, kRead));
  EXPECT_FALSE(space.map(0x20001, 0x1000, kRead));
  EXPECT_FALSE(space.map(0x20000, 0x800, kRead));
  EXPECT_FALSE(space.map(0x20000, 0, kRead));
  EXPECT_FALSE(space.map(~u64{0} - 0xfff, 0x2000, kRead));
  EXPECT_TRUE(space.map(0x12000, 0x1000, kRead));
  EXPECT_TRUE(space.map(0xf000, 0x1000, kRead));
  ASSERT_EQ(space.regions().size(), 3U);
  EXPECT_EQ(space.regions()[0].base, 0xf000U);
  EXPECT_EQ(space.regions()[2].base, 0x12000U);
  u64 value = 1;
  EXPECT_TRUE(space.read(0x11ff8, &value, sizeof value));
  EXPECT_EQ(value, 0U);
}

TEST(AddressSpace, ReadsAndWritesAcrossAdjacentRegionsButViewsStayInside) {
  AddressSpace space;
  ASSERT_TRUE(space.map(0x1000, 0x1000, kRead | kWrite));
  ASSERT_TRUE(space.map(0x2000, 0x1000, kRead));
  const u64 in = 0x1122334455667788;
  u64 out = 0;
  EXPECT_TRUE(space.write(0x1ffc, &in, sizeof in));
  EXPECT_TRUE(space.read(0x1ffc, &out, sizeof out));
  EXPECT_EQ(out, in);
  EXPECT_TRUE(space.view(0x1ffc, 8).empty());
  EXPECT_EQ(space.view(0x1ff8, 8).size(), 8U);
  EXPECT_FALSE(space.read(0x2ffc, &out, sizeof out));
  EXPECT_FALSE(space.write(0xfff, &in, 1));
}

TEST(AddressSpace, GenerationGrowsWithEveryChangeEnginesMustSee) {
  AddressSpace space;
  u64 before = space.generation();
  const auto grew = [&] {
    const bool result = space.generation() > before;
    before = space.generation();
    return result;
  };
  const u32 word = 0xd503201f;
  ASSERT_TRUE(space.map(0x1000, 0x1000, kRead | kWrite));
  EXPECT_TRUE(grew());
  ASSERT_TRUE(space.write(0x1000, &word, sizeof word));
  EXPECT_FALSE(grew()) << "data";
  EXPECT_FALSE(space.protect(0x1000, 0x2000, kRead));
  EXPECT_FALSE(grew());
  EXPECT_TRUE(space.protect(0x1000, 0x1000, kRead | kExecute));
  EXPECT_TRUE(grew());
  ASSERT_TRUE(space.write(0x1000, &word, sizeof word));
  EXPECT_TRUE(grew()) << "code";
  EXPECT_FALSE(space.unmap(0x1800));
  EXPECT_TRUE(space.unmap(0x1000));
  EXPECT_TRUE(grew());
  EXPECT_TRUE(space.regions().empty());
}

TEST(AddressSpace, ChangesSayWhichRangeAndWhetherItsCodeIsStale) {
  AddressSpace space;
  u64 seen = space.generation();
  const auto news = [&] {
    std::string result;
    const auto changes = space.changes_since(seen).value();
    for (const MemoryChange& change : changes) {
      result += std::to_string(change.base / 0x1000) + "+" + std::to_string(change.size) + (change.code ? "c " : " ");
    }
    seen = space.generation();
    return result;
  };
  ASSERT_TRUE(space.map(0x1000, 0x1000, kRead | kWrite));
  EXPECT_EQ(news(), "1+4096 ");
  ASSERT_TRUE(space.protect(0x1000, 0x1000, kRead | kExecute));
  EXPECT_EQ(news(), "1+4096c ");
  const u32 word = 0xd503201f;
  ASSERT_TRUE(space.write(0x1800, &word, sizeof word));
  EXPECT_EQ(news(), "1+4c ");
  space.code_written(0x1000, 0x800);
  EXPECT_EQ(news(), "1+2048c ");
  ASSERT_TRUE(space.protect(0x1000, 0x1000, kRead));
  EXPECT_EQ(news(), "1+4096c ");
  ASSERT_TRUE(space.unmap(0x1000));
  EXPECT_EQ(news(), "1+4096 ");
  std::vector<std::byte> memory(0x4000);
  ASSERT_TRUE(space.lend(0x4000, 0x4000, kRead | kExecute, memory.data()));
  space.protect_lent(0x5000, 0x1000, kRead);
  space.take_back(0x4000, 0x4000);
  EXPECT_EQ(news(), "4+16384 5+4096c 4+4096c 5+4096 6+8192c ");
}

TEST(AddressSpace, OldChangesAreNotKept) {
  AddressSpace space;
  const u64 start = space.generation();
  EXPECT_TRUE(space.changes_since(start).has_value());
  for (u64 i = 0; i < 10'000; ++i) space.code_written(0x1000 * i, 4);
  EXPECT_EQ(space.generation(), start + 10'000);
  EXPECT_FALSE(space.changes_since(start).has_value());
  EXPECT_EQ(space.changes_since(start + 9'990).value().size(), 10U);
  EXPECT_FALSE(space.changes_since(0).has_value()) << "an engine that never saw the space";
}

TEST(AddressSpace, StoresToExecutedCodeAreChanges) {
  AddressSpace space;
  ASSERT_TRUE(space.map(0x10000, 0x4000, kRead | kWrite | kExecute));
  EXPECT_FALSE(space.may_be_code(0x10000, 4));
  space.executed(0x12004);
  EXPECT_TRUE(space.may_be_code(0x12ffc, 4));
  EXPECT_FALSE(space.may_be_code(0x11ffc, 4));
  EXPECT_TRUE(space.may_be_code(0x11ffc, 8)) << "a part of it";
  space.executed(0x10ffc);
  EXPECT_TRUE(space.may_be_code(0x11000, 4)) << "between the two";
  const u64 before = space.generation();
  EXPECT_FALSE(space.stored(0x11000, 8));
  EXPECT_TRUE(space.stored(0x11ffc, 8)) << "also on the next page";
  EXPECT_FALSE(space.stored(0x12000, 8)) << "not executed since";
  ASSERT_EQ(space.changes_since(before).value().size(), 1U);
  const MemoryChange change = space.changes_since(before).value().front();
  EXPECT_EQ(change.base, 0x12000U);
  EXPECT_TRUE(change.code);
  for (int i = 0; i < 100; ++i) {
    space.executed(0x10000);
    EXPECT_TRUE(space.stored(0x10000, 1));
  }
  EXPECT_FALSE(space.rarely_changes(0x10800));
  EXPECT_TRUE(space.rarely_changes(0x12000));
}

TEST(AddressSpace, SpacesHaveDifferentIds) {
  AddressSpace one;
  AddressSpace two;
  EXPECT_NE(one.id(), two.id());
}

TEST(AddressSpace, LentMemoryIsOneRegionWhereItCanBe) {
  AddressSpace space;
  std::vector<std::byte> memory(0x8000);
  ASSERT_TRUE(space.lend(0x10000, 0x2000, kRead | kWrite, memory.data()));
  ASSERT_TRUE(space.lend(0x12000, 0x2000, kRead | kWrite, memory.data() + 0x2000));
  EXPECT_EQ(space.regions().size(), 1U);
  ASSERT_TRUE(space.lend(0x14000, 0x1000, kRead, memory.data() + 0x4000));
  ASSERT_TRUE(space.lend(0x15000, 0x1000, kRead, memory.data()));
  EXPECT_EQ(space.regions().size(), 3U);
  EXPECT_FALSE(space.lend(0x13000, 0x1000, kRead, memory.data()));
  EXPECT_FALSE(space.unmap(0x10000)) << "lent memory is taken back, not unmapped";
}

TEST(AddressSpace, AnyPagesOfLentMemoryChangeTheirPermissions) {
  AddressSpace space;
  std::vector<std::byte> memory(0x8000);
  ASSERT_TRUE(space.lend(0x10000, 0x8000, kRead | kWrite, memory.data()));
  space.protect_lent(0x12000, 0x1000, kRead);
  ASSERT_EQ(space.regions().size(), 3U);
  EXPECT_EQ(space.regions()[1].base, 0x12000U);
  EXPECT_EQ(space.regions()[1].permissions, kRead);
  EXPECT_EQ(space.regions()[2].host, memory.data() + 0x3000);
  space.protect_lent(0x12000, 0x1000, kRead | kWrite);
  EXPECT_EQ(space.regions().size(), 1U);
  space.take_back(0x11000, 0x2000);
  ASSERT_EQ(space.regions().size(), 2U);
  EXPECT_EQ(space.regions()[1].base, 0x13000U);
  EXPECT_TRUE(space.view(0x11000, 1).empty());
  space.take_back(0, 0x100000);
  EXPECT_TRUE(space.regions().empty());
}

}  // namespace
}  // namespace wperf::sim
