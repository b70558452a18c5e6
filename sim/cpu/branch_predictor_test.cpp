// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/branch_predictor.h"

#include <gtest/gtest.h>

namespace wperf::sim {
namespace {

constexpr u64 kBranch = 0x140001000;

u32 mispredicts(BranchPredictor& predictor, u32 count, auto taken) {
  u32 wrong = 0;
  for (u32 i = 0; i < count; ++i) {
    if (!predictor.resolve(BranchKind::conditional, kBranch, 0, taken(i))) ++wrong;
  }
  return wrong;
}

TEST(BranchPredictor, LearnsAConstantDirectionAfterAFewBranches) {
  BranchPredictor predictor;
  EXPECT_LE(mispredicts(predictor, 1000, [](u32) { return true; }), 2U);
  EXPECT_LE(mispredicts(predictor, 1000, [](u32) { return false; }), 4U);
}

TEST(BranchPredictor, LearnsShortPatternsFromHistory) {
  BranchPredictor predictor;
  mispredicts(predictor, 500, [](u32 i) { return i % 3 == 0; });
  EXPECT_EQ(mispredicts(predictor, 999, [](u32 i) { return (i + 500) % 3 == 0; }), 0U);
}

TEST(BranchPredictor, IsWrongHalfTheTimeOnRandomDirections) {
  BranchPredictor predictor;
  u64 state = 88172645463325252U;
  const u32 wrong = mispredicts(predictor, 100000, [&](u32) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 40 & 1) != 0;
  });
  EXPECT_GT(wrong, 47000U);
  EXPECT_LT(wrong, 53000U);
}

TEST(BranchPredictor, ReturnsMatchCallsAsDeepAsTheStack) {
  BranchPredictor predictor;
  const auto nest = [&](u64 depth) {
    u32 wrong = 0;
    for (u64 i = 0; i < depth; ++i) predictor.resolve(BranchKind::call, kBranch + i * 64, 0, true);
    for (u64 i = depth; i-- > 0;) {
      if (!predictor.resolve(BranchKind::procedure_return, kBranch, kBranch + i * 64 + 4, true)) ++wrong;
    }
    return wrong;
  };
  EXPECT_EQ(nest(16), 0U);
  EXPECT_EQ(nest(20), 4U) << "the four oldest were overwritten";
}

TEST(BranchPredictor, IndirectTargetsAreLearntAndPatternsFollowThePath) {
  BranchPredictor predictor;
  const auto wrong = [&](u32 targets) {
    u32 result = 0;
    for (u32 i = 0; i < 300; ++i) {
      if (!predictor.resolve(BranchKind::indirect_jump, kBranch, 0x1000 + i % targets * 0x40, true)) ++result;
    }
    return result;
  };
  EXPECT_LE(wrong(1), 8U);
  EXPECT_LE(wrong(3), 24U);
  EXPECT_EQ(wrong(3), 0U);
}

}  // namespace
}  // namespace wperf::sim
