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

TEST(Arm64Flow, FunctionsOneAfterAnother) {
  constexpr u32 kNop = 0xd503201f;
  const std::vector<u32> words = {kAdd, kRet, kNop, 0, kEqualForward2, kRet, kRet, kBr};
  std::vector<code::RvaRange> found;
  append_arm64_functions(std::as_bytes(std::span(words)), {0x1000}, found);
  ASSERT_EQ(found.size(), 3u);
  const u32 begins[] = {0x1000, 0x1010, 0x101c}, ends[] = {0x1008, 0x101c, 0x1020};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].begin.value, begins[i]);
    EXPECT_EQ(found[i].end.value, ends[i]);
  }
  found.clear();
  append_arm64_functions(std::as_bytes(std::span(words)).subspan(2), {0x1002}, found);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].begin.value, 0x1004u) << "instructions are aligned";
}

}  // namespace
}  // namespace wperf::symbols
