// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/memory.h"

#include <gtest/gtest.h>

namespace wperf::sim::nt {
namespace {

struct MemoryTest : testing::Test {
  AddressSpace space;
  Memory memory{space, 1};

  u64 reserve(u64 size, u64 address = 0) {
    Memory::ReserveOptions options;
    options.address = address;
    options.size = size;
    return memory.reserve(options);
  }
  bool is_writable(u64 address) const {
    for (const Region& region : space.regions())
      if (address - region.base < region.size) return (region.permissions & kWrite) != 0;
    return false;
  }
};

TEST_F(MemoryTest, ReservedPagesAreNotThereUntilTheyAreCommitted) {
  const u64 base = reserve(0x10000);
  ASSERT_NE(base, 0U);
  EXPECT_EQ(base % 0x10000, 0U);
  EXPECT_TRUE(space.regions().empty());
  EXPECT_EQ(memory.query(base).protection, 0U);
  ASSERT_EQ(memory.commit(base + 0x1000, 0x2000, kPageReadWrite), kSuccess);
  EXPECT_TRUE(is_writable(base + 0x2fff));
  EXPECT_FALSE(is_writable(base));
  const Memory::Area area = memory.query(base + 0x1800);
  EXPECT_EQ(area.base, base + 0x1000);
  EXPECT_EQ(area.size, 0x2000U);
  EXPECT_EQ(area.allocation, base);
  EXPECT_EQ(area.protection, kPageReadWrite);
}

TEST_F(MemoryTest, CommitsSideBySideAreOneRegion) {
  const u64 base = reserve(0x100000);
  for (u64 page = 0; page < 0x100; ++page)
    ASSERT_EQ(memory.commit(base + page * 0x1000, 0x1000, kPageReadWrite), kSuccess);
  EXPECT_EQ(space.regions().size(), 1U);
  EXPECT_EQ(memory.committed(), 0x100000U);
}

TEST_F(MemoryTest, WhatWasWrittenStaysWhenPagesChangeTheirProtection) {
  const u64 base = reserve(0x10000);
  ASSERT_EQ(memory.commit(base, 0x10000, kPageReadWrite), kSuccess);
  const u32 value = 0x12345678;
  space.write(base + 0x4ffe, &value, sizeof value);
  u32 before = 0;
  ASSERT_EQ(memory.protect(base + 0x5000, 0x1000, kPageExecuteRead, before), kSuccess);
  EXPECT_EQ(before, kPageReadWrite);
  EXPECT_EQ(space.regions().size(), 3U);
  EXPECT_FALSE(is_writable(base + 0x5000));
  u32 read = 0;
  ASSERT_TRUE(space.read(base + 0x4ffe, &read, sizeof read));
  EXPECT_EQ(read, value);
  ASSERT_EQ(memory.protect(base + 0x5000, 0x1000, kPageReadWrite, before), kSuccess);
  EXPECT_EQ(before, kPageExecuteRead);
  EXPECT_EQ(space.regions().size(), 1U);
}

TEST_F(MemoryTest, DecommittedPagesAreZeroWhenTheyComeBack) {
  const u64 base = reserve(0x10000);
  ASSERT_EQ(memory.commit(base, 0x4000, kPageReadWrite), kSuccess);
  const u64 value = ~u64{0};
  space.write(base + 0x1000, &value, sizeof value);
  ASSERT_EQ(memory.decommit(base + 0x1000, 0x1000), kSuccess);
  u64 read = 1;
  EXPECT_FALSE(space.read(base + 0x1000, &read, sizeof read));
  EXPECT_EQ(memory.committed(), 0x3000U);
  ASSERT_EQ(memory.commit(base + 0x1000, 0x1000, kPageReadWrite), kSuccess);
  ASSERT_TRUE(space.read(base + 0x1000, &read, sizeof read));
  EXPECT_EQ(read, 0U);
}

TEST_F(MemoryTest, PlacesThatAreTakenAreRefused) {
  const u64 base = reserve(0x20000, 0x10'0000'0000);
  EXPECT_EQ(base, 0x10'0000'0000U);
  EXPECT_EQ(reserve(0x10000, base + 0x10000), 0U);
  EXPECT_EQ(reserve(0x10000, 0x1000), 0U);
  EXPECT_EQ(reserve(0x10000, kHighestAddress), 0U);
  EXPECT_EQ(reserve(~u64{0}), 0U);
  EXPECT_EQ(memory.commit(base + 0x1f000, 0x2000, kPageReadWrite), kConflictingAddresses);
  u32 before = 0;
  EXPECT_EQ(memory.protect(base, 0x1000, kPageReadOnly, before), kNotCommitted);
  EXPECT_EQ(memory.release(base + 0x10000), kUnableToFreeVm);
  EXPECT_EQ(memory.release(base), kSuccess);
  EXPECT_EQ(reserve(0x10000, base + 0x10000), base + 0x10000);
}

TEST_F(MemoryTest, RequestedAddressRangeIsUsed) {
  Memory::ReserveOptions options;
  options.size = 0x10000;
  options.highest = 0x7fff'ffff;
  options.downwards = true;
  EXPECT_EQ(memory.reserve(options), 0x7fff'0000U);
  EXPECT_EQ(memory.reserve(options), 0x7ffe'0000U);
  options.downwards = false;
  EXPECT_EQ(memory.reserve(options), kLowestAddress);
  options.highest = kHighestAddress;
  options.lowest = 0x20'0000'0000;
  options.alignment = 0x80000;
  EXPECT_EQ(memory.reserve(options), 0x20'0000'0000U);
  EXPECT_EQ(memory.reserve(options), 0x20'0008'0000U);
}

TEST_F(MemoryTest, GuardPageFaultsOnce) {
  const u64 base = reserve(0x10000);
  ASSERT_EQ(memory.commit(base, 0x3000, kPageReadWrite | kPageGuard), kSuccess);
  EXPECT_FALSE(is_writable(base + 0x1000));
  EXPECT_TRUE(memory.hit_guard_page(base + 0x1234));
  EXPECT_TRUE(is_writable(base + 0x1000));
  EXPECT_FALSE(memory.hit_guard_page(base + 0x1234));
  EXPECT_FALSE(is_writable(base));
  EXPECT_FALSE(is_writable(base + 0x2000));
}

TEST_F(MemoryTest, ViewsOfOneBlockShareItsBytes) {
  Memory::ReserveOptions options;
  options.size = 0x10000;
  options.memory = HostMemory::make(0x10000);
  const u64 first = memory.reserve(options), second = memory.reserve(options);
  ASSERT_EQ(memory.commit(first, 0x10000, kPageReadWrite), kSuccess);
  ASSERT_EQ(memory.commit(second, 0x10000, kPageReadOnly), kSuccess);
  const u32 value = 7;
  space.write(first + 0x100, &value, sizeof value);
  u32 read = 0;
  ASSERT_TRUE(space.read(second + 0x100, &read, sizeof read));
  EXPECT_EQ(read, 7U);
}

TEST_F(MemoryTest, PlaceholdersAreSplitReplacedAndJoined) {
  Memory::ReserveOptions options;
  options.size = 0x40000;
  options.placeholder = true;
  const u64 base = memory.reserve(options);
  ASSERT_NE(base, 0U);
  EXPECT_EQ(memory.commit(base, 0x1000, kPageReadWrite), kConflictingAddresses) << "nothing is reserved for pages yet";
  ASSERT_EQ(memory.preserve_placeholder(base + 0x10000, 0x10000), kSuccess);
  EXPECT_EQ(memory.reservation_of(base)->size, 0x10000U);
  EXPECT_EQ(memory.reservation_of(base + 0x20000)->size, 0x20000U);

  Memory::ReserveOptions replacing;
  replacing.address = base + 0x10000;
  replacing.size = 0x8000;
  replacing.replaces_placeholder = true;
  EXPECT_EQ(memory.reserve(replacing), 0U) << "it must be a whole placeholder";
  EXPECT_EQ(memory.reservation_of(base + 0x10000)->size, 0x10000U);
  replacing.size = 0x10000;
  ASSERT_EQ(memory.reserve(replacing), base + 0x10000);
  ASSERT_EQ(memory.commit(base + 0x10000, 0x10000, kPageReadWrite), kSuccess);
  EXPECT_TRUE(is_writable(base + 0x1ffff));
  EXPECT_EQ(memory.coalesce_placeholders(base, 0x40000), kConflictingAddresses) << "one part has pages";
  EXPECT_EQ(memory.preserve_placeholder(base + 0x10000, 0x1000), kConflictingAddresses) << "not the whole reservation";

  ASSERT_EQ(memory.preserve_placeholder(base + 0x10000, 0x10000), kSuccess);
  EXPECT_FALSE(is_writable(base + 0x10000));
  EXPECT_EQ(memory.committed(), 0U);
  EXPECT_EQ(memory.coalesce_placeholders(base, 0x30000), kConflictingAddresses) << "ends within a placeholder";
  ASSERT_EQ(memory.coalesce_placeholders(base, 0x40000), kSuccess);
  EXPECT_EQ(memory.reservation_of(base + 0x3ffff)->base, base);
  EXPECT_EQ(memory.release(base), kSuccess);
  EXPECT_FALSE(memory.reservation_of(base));
}

}  // namespace
}  // namespace wperf::sim::nt
