// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/link_register.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

// Assembled with llvm-mc.
constexpr u32 kWriters[] = {
    0x94000004,  // bl 0x10
    0xd63f0060,  // blr x3
    0xd63f03c0,  // blr x30
    0xaa0103fe,  // mov x30, x1
    0x910007de,  // add x30, x30, #0x1
    0xf94007fe,  // ldr x30, [sp, #0x8]
    0xb862683e,  // ldr w30, [x1, x2]
    0xa8c17bfd,  // ldp x29, x30, [sp], #0x10
    0xa94177fe,  // ldp x30, x29, [sp, #0x10]
    0xd282469e,  // mov x30, #0x1234
    0x1000005e,  // adr x30, 0x30
    0xd53bd05e,  // mrs x30, TPIDR_EL0
    0xc85f7c3e,  // ldxr x30, [x1]
    0xc87ff823,  // ldaxp x3, x30, [x1]
    0xc81e7c22,  // stxr w30, x2, [x1]
    0xc8be7c22,  // cas x30, x2, [x1]
    0xf8e2803e,  // swpal x2, x30, [x1]
    0xf822003e,  // ldadd x2, x30, [x1]
    0xb980043e,  // ldrsw x30, [x1, #0x4]
    0x38c0143e,  // ldrsb w30, [x1], #0x1
    0xf8408fc0,  // ldr x0, [x30, #0x8]!
    0xa88107c0,  // stp x0, x1, [x30], #0x10
    0x0e0c3c3e,  // mov w30, v1.s[1]
    0x9e78003e,  // fcvtzs x30, d1
    0x9e66003e,  // fmov x30, d1
    0x9a82003e,  // csel x30, x1, x2, eq
    0x9b020c3e,  // madd x30, x1, x2, x3
    0xd343183e,  // ubfx x30, x1, #3, #4
    0xc8dffc3e,  // ldar x30, [x1]
};

constexpr u32 kOthers[] = {
    0xd65f03c0,  // ret
    0xd61f03c0,  // br x30
    0xb400005e,  // cbz x30, 0x10
    0x3618005e,  // tbz w30, #0x3, 0x14
    0xf90007fe,  // str x30, [sp, #0x8]
    0xa9bf7bfd,  // stp x29, x30, [sp, #-0x10]!
    0xf800303e,  // stur x30, [x1, #0x3]
    0xaa1e03e1,  // mov x1, x30
    0xf10007df,  // cmp x30, #0x1
    0xfa430bce,  // ccmp x30, #0x3, #0xe, eq
    0x3dc0003e,  // ldr q30, [x1]
    0x6cc17bfd,  // ldp d29, d30, [sp], #0x10
    0x1e62283e,  // fadd d30, d1, d2
    0x9e67003e,  // fmov d30, x1
    0x9e6203de,  // scvtf d30, x30
    0xf9800bc0,  // prfm pldl1keep, [x30, #0x10]
    0xc8037c3e,  // stxr w3, x30, [x1]
    0xc89ffc3e,  // stlr x30, [x1]
    0xf94007c0,  // ldr x0, [x30, #0x8]
    0xd40003c1,  // svc #0x1e
    0x5400004e,  // b.al 0x58
    0xd503201f,  // nop
    0xc8a37c3e,  // cas x3, x30, [x1]
    0xd5033bbf,  // dmb ish
    0xd51bd05e,  // msr TPIDR_EL0, x30
    0x4c40783e,  // ld1 { v30.4s }, [x1]
    0x1400001e,  // b 0xe0
};

TEST(LinkRegister, IsWrittenByWhatNamesItAsItsResult) {
  for (const u32 word : kWriters) EXPECT_TRUE(writes_register(word, kLinkRegister)) << std::hex << word;
  for (const u32 word : kOthers) EXPECT_FALSE(writes_register(word, kLinkRegister)) << std::hex << word;
}

TEST(LinkRegister, TheFrameRegisterIsWrittenByProloguesAndEpilogues) {
  // mov x29, sp; add x29, sp, #0x10; ldp x29, x30, [sp], #0x10; ldr x29, [sp]
  for (const u32 word : {0x910003fdu, 0x910043fdu, 0xa8c17bfdu, 0xf94003fdu})
    EXPECT_TRUE(writes_register(word, kFrameRegister)) << std::hex << word;
  // bl 0x10; blr x3; stp x29, x30, [sp, #-0x10]!; ret; mov x30, x29
  for (const u32 word : {0x94000004u, 0xd63f0060u, 0xa9bf7bfdu, 0xd65f03c0u, 0xaa1d03feu})
    EXPECT_FALSE(writes_register(word, kFrameRegister)) << std::hex << word;
}

constexpr u32 kNop = 0xd503201f, kWriter = 0xaa0103fe, kCall = 0x94000004;

TEST(LinkRegister, IsFoundWhereItWasNotWrittenInBetween) {
  const u32 code[] = {kNop, kNop, kWriter, kNop, kNop, kCall};
  for (u32 at = 0; at <= 2; ++at)
    EXPECT_EQ(register_value_at(code, at, kLinkRegister).from, RegisterValue::From::start) << at;
  for (u32 at = 3; at <= 5; ++at) {
    const RegisterValue value = register_value_at(code, at, kLinkRegister);
    EXPECT_EQ(value.from, RegisterValue::From::within) << at;
    EXPECT_EQ(value.first, 3u);
    EXPECT_EQ(value.last, 5u);
  }
  const u32 tail[] = {kNop, kWriter, kNop};
  EXPECT_EQ(register_value_at(tail, 1, kLinkRegister).from, RegisterValue::From::start);
  EXPECT_EQ(register_value_at(tail, 2, kLinkRegister).from, RegisterValue::From::end);
  EXPECT_EQ(register_value_at({}, 0, kLinkRegister).from, RegisterValue::From::start);
}

}  // namespace
}  // namespace wperf::sim
