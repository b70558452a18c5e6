// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/function_extents.h"

#include <gtest/gtest.h>

#include <vector>

namespace wperf::symbols {
namespace {

constexpr u32 kAdd = 0x8b010000, kRet = 0xd65f03c0, kRetAuthenticated = 0xd65f0bff, kBr = 0xd61f0200;
constexpr u32 kBlr = 0xd63f0200, kBreak = 0xd43e0000;
constexpr u32 kForward3 = 0x14000003, kBack1 = 0x17ffffff;
constexpr u32 kCbzForward3 = 0xb4000060, kEqualForward2 = 0x54000040, kTbnzForward2 = 0x37000041;

u32 length_of(const std::vector<u32>& words) {
  return arm64_flow_length(std::as_bytes(std::span(words)));
}

TEST(Arm64Flow, EndsBehindTheLastReturn) {
  EXPECT_EQ(length_of({kAdd, kRet, kAdd, kRet}), 8u);
  EXPECT_EQ(length_of({kAdd, kRetAuthenticated, kAdd}), 8u);
  EXPECT_EQ(length_of({kAdd, kBr, kAdd}), 8u);
  EXPECT_EQ(length_of({kAdd, kBreak, kAdd}), 8u);
  EXPECT_EQ(length_of({kBlr, kAdd, kRet, kAdd}), 12u) << "a call comes back";
  EXPECT_EQ(length_of({kAdd, 0, kAdd}), 8u) << "padding";
}

TEST(Arm64Flow, EarlyReturnDoesNotEndFunction) {
  EXPECT_EQ(length_of({kEqualForward2, kRet, kAdd, kRet, kAdd}), 16u);
  EXPECT_EQ(length_of({kTbnzForward2, kRet, kRet, kAdd}), 12u);
  EXPECT_EQ(length_of({kCbzForward3, kAdd, kRet, kForward3, kAdd, kRet}), 16u) << "the last one goes elsewhere";
}

TEST(Arm64Flow, ALoopAndTheEndOfTheFile) {
  EXPECT_EQ(length_of({kAdd, kBack1, kAdd, kRet}), 8u) << "for ever";
  EXPECT_EQ(length_of({kAdd, kAdd}), 8u);
  EXPECT_EQ(length_of({}), 0u);
}

TEST(Arm64Leaf, FunctionsOneAfterAnother) {
  constexpr u32 kNop = 0xd503201f;
  const std::vector<u32> words = {kAdd, kRet, kNop, 0, kEqualForward2, kRet, kRet, kBr};
  const auto at = [&](u32 rva) { return arm64_leaf(std::as_bytes(std::span(words)), {0x1000}, {rva}); };
  for (const u32 rva : {0x1000u, 0x1004u}) EXPECT_EQ(at(rva).value_or(code::RvaRange{}).end.value, 0x1008u);
  EXPECT_FALSE(at(0x1008).has_value());
  EXPECT_FALSE(at(0x100c).has_value());
  for (const u32 rva : {0x1010u, 0x1016u, 0x101bu}) {
    ASSERT_TRUE(at(rva).has_value());
    EXPECT_EQ(at(rva)->begin.value, 0x1010u);
    EXPECT_EQ(at(rva)->end.value, 0x101cu);
  }
  EXPECT_EQ(at(0x101c).value_or(code::RvaRange{}).begin.value, 0x101cu);
  EXPECT_FALSE(at(0x1020).has_value());
  EXPECT_EQ(arm64_leaf(std::as_bytes(std::span(words)), {0xffe}, {0x1002}).value_or(code::RvaRange{}).begin.value,
            0x1000u)
      << "instructions are aligned";
}

}  // namespace
}  // namespace wperf::symbols
