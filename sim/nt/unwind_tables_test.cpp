// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/unwind_tables.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

// A stack, and an image whose only function has a table.
class UnwindTables : public ::testing::Test {
 protected:
  static constexpr u64 kStack = 0x10000, kImage = 0x20000;
  static constexpr u32 kPdata = 0x100, kXdata = 0x200, kFunction = 0x400, kInstructions = 10;

  void SetUp() override {
    ASSERT_TRUE(space_.map(kStack, kPageSize, kRead | kWrite));
    ASSERT_TRUE(space_.map(kImage, kPageSize, kRead | kWrite));
    put(kImage + 24 + 112 + 3 * 8, u64{8} << 32 | kPdata);
    registers_.sp = kStack;
    registers_.x[29] = 0xf0f0;
    registers_.x[30] = 0x1e1e;
  }
  void put(u64 address, u64 value) { ASSERT_TRUE(space_.write(address, &value, sizeof value)); }

  // Unwinds the frame of a call within the function.
  bool unwind(u32 word, u32 offset = 8) {
    put(kImage + kPdata, u64{word} << 32 | kFunction);
    registers_.pc = kImage + kFunction + offset;
    return unwind_frame(memory_, modules_, registers_);
  }
  bool unwind_by(std::vector<u8> codes) {
    while (codes.size() % 4 != 0) codes.push_back(0xe3);
    const u32 header = static_cast<u32>(codes.size() / 4) << 27 | 1u << 21 | kInstructions;
    EXPECT_TRUE(space_.write(kImage + kXdata, &header, sizeof header));
    EXPECT_TRUE(space_.write(kImage + kXdata + 4, codes.data(), codes.size()));
    return unwind(kXdata);
  }

  AddressSpace space_;
  GuestMemory memory_{space_};
  std::vector<Module> modules_{{.name = "a.exe", .path = "a.exe", .base = kImage, .size = kPageSize}};
  ThreadState registers_;
};

TEST_F(UnwindTables, PushedPairsAndTheFrameRecord) {
  // stp x29, x30, [sp, #-48]!; stp x19, x20, [sp, #16]; stp d8, d9, [sp, #32]; mov x29, sp - and then a larger stack
  registers_.x[29] = kStack + 0x40;
  put(kStack + 0x40, 0xaaaa);
  put(kStack + 0x48, 0xbbbb);
  put(kStack + 0x50, 0x1919);
  put(kStack + 0x58, 0x2020);
  put(kStack + 0x60, 0x8888);
  put(kStack + 0x68, 0x9999);
  ASSERT_TRUE(unwind_by({0xe1, 0xd8, 0x04, 0xc8, 0x02, 0x85, 0xe4}));
  EXPECT_EQ(registers_.x[29], 0xaaaaU);
  EXPECT_EQ(registers_.pc, 0xbbbbU);
  EXPECT_EQ(registers_.x[19], 0x1919U);
  EXPECT_EQ(registers_.x[20], 0x2020U);
  EXPECT_EQ(registers_.v[8][0], 0x8888U);
  EXPECT_EQ(registers_.v[9][0], 0x9999U);
  EXPECT_EQ(registers_.sp, kStack + 0x70);
}

TEST_F(UnwindTables, SavesThatGoOnAndLargeStacks) {
  // stp x19, x20, [sp, #-48]!; stp x21, x22, …; stp x23, x24, … (two save_next); str lr is with x25: save_lrpair above
  for (u64 i = 0; i < 6; ++i) put(kStack + 0x20 + 8 * i, 0x100 + i);
  put(kStack + 0x10, 0x2525);
  put(kStack + 0x18, 0x3030);
  // alloc_s 16; save_lrpair x25 at 0; alloc_s 16; save_next; save_next; save_r19r20_x 48
  ASSERT_TRUE(unwind_by({0x01, 0xd6, 0xc0, 0x01, 0xe6, 0xe6, 0x26, 0xe4}));
  EXPECT_EQ(registers_.x[25], 0x2525U);
  EXPECT_EQ(registers_.pc, 0x3030U);
  for (u32 i = 0; i < 6; ++i) EXPECT_EQ(registers_.x[19 + i], 0x100U + i) << i;
  EXPECT_EQ(registers_.sp, kStack + 0x50);
  registers_.sp = 0x1000000;
  ASSERT_TRUE(unwind_by({0xe0, 0x01, 0x02, 0x03, 0xc1, 0x00, 0xe4}));
  EXPECT_EQ(registers_.sp, 0x1000000U + 16 * 0x10203 + 16 * 0x100);
}

TEST_F(UnwindTables, PackedFrames) {
  // x19 to x21 and lr, without a chain: 32 bytes, and 16 bytes of locals
  put(kStack + 16, 0x1919);
  put(kStack + 24, 0x2020);
  put(kStack + 32, 0x2121);
  put(kStack + 40, 0x3030);
  ASSERT_TRUE(unwind(3u << 23 | 1u << 21 | 3u << 16 | kInstructions << 2 | 1));
  EXPECT_EQ(registers_.x[21], 0x2121U);
  EXPECT_EQ(registers_.pc, 0x3030U);
  EXPECT_EQ(registers_.sp, kStack + 48);
}

TEST_F(UnwindTables, AFrameThatCannotBeUnwound) {
  EXPECT_FALSE(unwind_by({0xe8, 0xe4})) << "an unknown code";
  EXPECT_FALSE(unwind(kInstructions << 2 | 3)) << "an entry of an unknown kind";
  EXPECT_FALSE(unwind(0x10000000)) << "a table outside the image";
  EXPECT_FALSE(unwind(kInstructions << 2 | 1, 4 * kInstructions + 4)) << "a call after the function's end";
  EXPECT_TRUE(unwind(kInstructions << 2 | 1, 4 * kInstructions));
  registers_.pc = kImage + kPageSize + 8;
  EXPECT_FALSE(unwind_frame(memory_, modules_, registers_)) << "an address outside every image";
  registers_.sp = 0x30000;
  EXPECT_FALSE(unwind_by({0x81, 0xe4})) << "a stack that is not mapped";
}

}  // namespace
}  // namespace wperf::sim
