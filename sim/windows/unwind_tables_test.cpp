// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/unwind_tables.h"

#include <gtest/gtest.h>

#include "sim/windows/fake_program.h"
#include "sim/windows/guest_exception.h"

namespace wperf::sim {
namespace {

// A stack, and a table next to it.
class UnwindTables : public ::testing::Test {
 protected:
  static constexpr u64 kStack = 0x10000, kImage = 0x20000;
  static constexpr u32 kTable = 0x100;

  void SetUp() override {
    ASSERT_TRUE(space_.map(kStack, kPageSize, kRead | kWrite));
    ASSERT_TRUE(space_.map(kImage, kPageSize, kRead | kWrite));
    registers_.sp = kStack;
    registers_.x[29] = 0xf0f0;
    registers_.x[30] = 0x1e1e;
  }
  void put(u64 address, u64 value) { ASSERT_TRUE(space_.write(address, &value, sizeof value)); }

  UnwoundFrame unwind(u32 word) {
    return unwind_frame(memory_, {.image = kImage, .address = kImage, .begin = 0, .unwind = word}, registers_);
  }
  // Unwinds by .xdata with these codes, followed by a handler if `handler` is not 0.
  UnwoundFrame unwind_by(std::vector<u8> codes, u32 handler = 0) {
    while (codes.size() % 4 != 0) codes.push_back(0xe3);
    const u32 header = static_cast<u32>(codes.size() / 4) << 27 | 1u << 21 | (handler != 0 ? 1u << 20 : 0) | 10;
    EXPECT_TRUE(space_.write(kImage + kTable, &header, sizeof header));
    EXPECT_TRUE(space_.write(kImage + kTable + 4, codes.data(), codes.size()));
    EXPECT_TRUE(space_.write(kImage + kTable + 4 + codes.size(), &handler, sizeof handler));
    return unwind(kTable);
  }

  AddressSpace space_;
  GuestMemory memory_{space_};
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
  const UnwoundFrame frame = unwind_by({0xe1, 0xd8, 0x04, 0xc8, 0x02, 0x85, 0xe4}, 0x77);
  EXPECT_EQ(frame.trouble, "");
  EXPECT_EQ(registers_.x[29], 0xaaaaU);
  EXPECT_EQ(registers_.pc, 0xbbbbU);
  EXPECT_EQ(registers_.x[19], 0x1919U);
  EXPECT_EQ(registers_.x[20], 0x2020U);
  EXPECT_EQ(registers_.v[8][0], 0x8888U);
  EXPECT_EQ(registers_.v[9][0], 0x9999U);
  EXPECT_EQ(registers_.sp, kStack + 0x70);
  EXPECT_EQ(frame.handler, kImage + 0x77);
  EXPECT_EQ(frame.handler_data, kImage + kTable + 4 + 8 + 4);
}

TEST_F(UnwindTables, SavesThatGoOnAndLargeStacks) {
  // stp x19, x20, [sp, #-48]!; stp x21, x22, …; stp x23, x24, … (two save_next); str lr is with x25: save_lrpair above
  for (u64 i = 0; i < 6; ++i) put(kStack + 0x20 + 8 * i, 0x100 + i);
  put(kStack + 0x10, 0x2525);
  put(kStack + 0x18, 0x3030);
  // alloc_s 16; save_lrpair x25 at 0; alloc_s 16; save_next; save_next; save_r19r20_x 48
  const UnwoundFrame frame = unwind_by({0x01, 0xd6, 0xc0, 0x01, 0xe6, 0xe6, 0x26, 0xe4});
  EXPECT_EQ(frame.trouble, "");
  EXPECT_EQ(frame.handler, 0U);
  EXPECT_EQ(registers_.x[25], 0x2525U);
  EXPECT_EQ(registers_.pc, 0x3030U);
  for (u32 i = 0; i < 6; ++i) EXPECT_EQ(registers_.x[19 + i], 0x100U + i) << i;
  EXPECT_EQ(registers_.sp, kStack + 0x50);
  registers_.sp = 0x1000000;
  EXPECT_EQ(unwind_by({0xe0, 0x01, 0x02, 0x03, 0xc1, 0x00, 0xe4}).trouble, "");
  EXPECT_EQ(registers_.sp, 0x1000000U + 16 * 0x10203 + 16 * 0x100);
}

TEST_F(UnwindTables, PackedFrames) {
  // x19 to x21 and lr, without a chain: 32 bytes, and 16 bytes of locals
  put(kStack + 16, 0x1919);
  put(kStack + 24, 0x2020);
  put(kStack + 32, 0x2121);
  put(kStack + 40, 0x3030);
  EXPECT_EQ(unwind(3u << 23 | 1u << 21 | 3u << 16 | 10u << 2 | 1).trouble, "");
  EXPECT_EQ(registers_.x[21], 0x2121U);
  EXPECT_EQ(registers_.pc, 0x3030U);
  EXPECT_EQ(registers_.sp, kStack + 48);
}

TEST_F(UnwindTables, WhatIsNotKnownIsNoFrame) {
  EXPECT_EQ(unwind_by({0xe8, 0xe4}).trouble, "the simulator does not support the unwind code 0xe8");
  EXPECT_EQ(unwind(3).trouble, "the unwind table has an entry of an unknown kind");
  EXPECT_NE(unwind(0x10000000).trouble.find("is damaged"), std::string::npos);
  registers_.sp = 0x30000;
  EXPECT_EQ(unwind_by({0x81, 0xe4}).trouble, "the stack at 0x30008 cannot be read");
}

TEST(Win32Exception, WhatCannotBeUnwoundEndsTheProgram) {
  FakeProgram program;
  const u64 image = program.process->modules()[0].base;
  program.process->thread().x[30] = image + 0x1234;
  program.call("RtlUnwindEx", {0x5000, image + 0x1000, 0, 7, FakeProgram::kBuffer, 0});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  EXPECT_EQ(program.process->crash_text(),
            "RtlUnwindEx, called from steady.exe+0x1234: the frame to unwind to is not on the stack");
  program.call("RtlVirtualUnwind", {0, image, image, 0, FakeProgram::kBuffer, FakeProgram::kBuffer,
                                    FakeProgram::kBuffer, FakeProgram::kBuffer});
  EXPECT_NE(program.process->crash_text().find("does not record where registers were saved"), std::string::npos);
}

TEST(Win32Exception, AContextIsTakenAndGoneBackTo) {
  FakeProgram program;
  ThreadState& registers = program.process->thread();
  registers.x[19] = 0x1919;
  registers.x[30] = 0x3030;
  registers.v[8][1] = 0x88;
  const u64 sp = registers.sp;
  program.call("RtlCaptureContext", {FakeProgram::kBuffer});
  EXPECT_EQ(program.get<GuestContext>(FakeProgram::kBuffer).pc, 0x3030U);
  registers = {};
  program.call("RtlRestoreContext", {FakeProgram::kBuffer, 0});
  EXPECT_EQ(program.outcome, CallOutcome::resume);
  EXPECT_EQ(registers.pc, 0x3030U);
  EXPECT_EQ(registers.sp, sp);
  EXPECT_EQ(registers.x[19], 0x1919U);
  EXPECT_EQ(registers.v[8][1], 0x88U);
}

}  // namespace
}  // namespace wperf::sim
