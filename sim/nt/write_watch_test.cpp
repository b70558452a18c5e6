// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kCommit = 0x1000, kReserve = 0x2000, kWatch = 0x200000;

class NtWriteWatch : public ::testing::Test {
 protected:
  u64 allocate(u32 type, u64 size = 0x10000) {
    process.put(0, u64{0});
    process.put(8, size);
    return process.call("NtAllocateVirtualMemory", {kThisProcess, kAt, 0, kAt + 8, type, kPageReadWrite});
  }
  // The written pages, by their numbers in the reservation.
  std::vector<u64> written(u32 flags = 0, u64 room = 16, u64 size = 0x10000) {
    process.put(0x10, room);
    EXPECT_EQ(process.call("NtGetWriteWatch", {kThisProcess, flags, base, size, kAt + 0x100, kAt + 0x10, kAt + 0x18}),
              kSuccess);
    EXPECT_EQ(process.get<u32>(0x18), kPageSize);
    std::vector<u64> pages;
    for (u64 index = 0; index < process.get(0x10); ++index)
      pages.push_back((process.get(0x100 + index * 8) - base) / kPageSize);
    return pages;
  }
  bool is_writable(u64 address) const { return (process.state.space.region_of(address)->permissions & kWrite) != 0; }
  TestProcess process;
  u64 base = 0;
};

TEST_F(NtWriteWatch, TheFirstStoreToAPageIsNoted) {
  ASSERT_EQ(allocate(kReserve | kCommit | kWatch), kSuccess);
  base = process.get(0);
  Memory& memory = process.state.memory;
  EXPECT_FALSE(is_writable(base));
  EXPECT_TRUE(memory.note_write(base + 0x3008));
  EXPECT_TRUE(is_writable(base + 0x3000));
  EXPECT_FALSE(memory.note_write(base + 0x3010)) << "a fault there has another reason";
  EXPECT_TRUE(memory.note_write(base + 0x1000));
  EXPECT_EQ(written(), (std::vector<u64>{1, 3}));
  EXPECT_EQ(written(0, 16, 0x2000), (std::vector<u64>{1}));
  EXPECT_EQ(written(1, 1), (std::vector<u64>{1})) << "only pages that were told are forgotten";
  EXPECT_FALSE(is_writable(base + 0x1000));
  EXPECT_EQ(written(), (std::vector<u64>{3}));
  EXPECT_EQ(process.call("NtResetWriteWatch", {kThisProcess, base, 0x10000}), kSuccess);
  EXPECT_TRUE(written().empty());
  EXPECT_FALSE(is_writable(base + 0x3000));
}

TEST_F(NtWriteWatch, SystemCallsWriteToo) {
  ASSERT_EQ(allocate(kReserve | kCommit | kWatch), kSuccess);
  base = process.get(0);
  ASSERT_EQ(process.call("NtCreateEvent", {base + 0x4000, 0, 0, 0, 0}), kSuccess);
  ASSERT_EQ(process.call("NtWriteVirtualMemory", {kThisProcess, base + 0x7ff8, kAt, 16, 0}), kSuccess);
  EXPECT_EQ(written(), (std::vector<u64>{4, 7, 8}));
  ASSERT_EQ(process.state.memory.decommit(base + 0xa000, 0x1000), kSuccess);
  EXPECT_FALSE(process.state.guest.allows(base + 0x9000, ~u64{0} >> 4, kWrite)) << "ends at the page that is not there";
  EXPECT_EQ(written(), (std::vector<u64>{4, 7, 8, 9}));
}

TEST_F(NtWriteWatch, ProtectionsAreKept) {
  ASSERT_EQ(allocate(kReserve | kCommit | kWatch), kSuccess);
  base = process.get(0);
  Memory& memory = process.state.memory;
  ASSERT_TRUE(memory.note_write(base));
  u32 before = 0;
  ASSERT_EQ(memory.protect(base, 0x2000, kPageReadOnly, before), kSuccess);
  EXPECT_EQ(before, kPageReadWrite);
  EXPECT_FALSE(is_writable(base));
  EXPECT_FALSE(memory.note_write(base + 0x1000)) << "it is read-only";
  ASSERT_EQ(memory.protect(base, 0x2000, kPageReadWrite, before), kSuccess);
  EXPECT_TRUE(is_writable(base));
  EXPECT_FALSE(is_writable(base + 0x1000));
  ASSERT_EQ(memory.decommit(base, 0x1000), kSuccess);
  ASSERT_EQ(memory.commit(base, 0x1000, kPageReadWrite), kSuccess);
  EXPECT_TRUE(written().empty()) << "the page is a new one";
  EXPECT_FALSE(is_writable(base));
}

TEST_F(NtWriteWatch, OtherMemoryIsRefused) {
  EXPECT_EQ(allocate(kCommit | kWatch), kInvalidParameter) << "the flag is for reservations";
  ASSERT_EQ(allocate(kReserve | kCommit), kSuccess);
  base = process.get(0);
  process.put(0x10, u64{16});
  const auto get = [&](u64 flags, u64 size) {
    return process.call("NtGetWriteWatch", {kThisProcess, flags, base, size, kAt + 0x100, kAt + 0x10, kAt + 0x18});
  };
  EXPECT_EQ(get(0, 0x1000), kInvalidParameter);
  EXPECT_EQ(process.call("NtResetWriteWatch", {kThisProcess, base, 0x1000}), kInvalidParameter);
  ASSERT_EQ(allocate(kReserve | kCommit | kWatch), kSuccess);
  base = process.get(0);
  EXPECT_EQ(get(0, 0x10001), kInvalidParameter) << "beyond its end";
  EXPECT_EQ(get(2, 0x1000), kInvalidParameter);
  EXPECT_EQ(get(0, 0x1000), kSuccess);
}

TEST(NtWorkingSets, PagesAreInMemoryOnceTheyAreCommitted) {
  constexpr u32 kWorkingSetEx = 4;
  TestProcess process;
  process.put(0x100, std::array<u64, 4>{kAt, 0, 0x10, 0});
  ASSERT_EQ(process.call("NtQueryVirtualMemory", {kThisProcess, 0, kWorkingSetEx, kAt + 0x100, 32, 0}), kSuccess);
  EXPECT_EQ(process.get(0x108), 1U | kPageReadWrite << 4);
  EXPECT_EQ(process.get(0x118), 0U);
}

}  // namespace
}  // namespace wperf::sim::nt
