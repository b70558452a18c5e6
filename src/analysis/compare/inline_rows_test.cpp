// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/inline_rows.h"

#include <gtest/gtest.h>

#include "analysis/compare/made_profile.h"
#include "ground/diag/names_all_test.h"

namespace wperf::compare {
namespace {

using testing::compared;
using testing::function_of;
using testing::judged;
using testing::MadeProfile;

TEST(InlineRows, CostMovedByInliningIsNotedAsMove) {
  const MadeProfile before = MadeProfile("p").add("f", 1000).add("g", 2000);
  const MadeProfile after = MadeProfile("p").add("f", 1000, "g").add("g", 2000);
  const UnitChange row = function_of(compared(before, after), "f");
  EXPECT_FALSE(row.is_significant);
  EXPECT_DOUBLE_EQ(row.change().ratio, 1);
  EXPECT_EQ(row.note, "moved into g, which now has it inlined");
  EXPECT_EQ(function_of(compared(after, before), "f").note, "moved out of g, which had it inlined");
}

// g got faster although f is now inlined there: f is gone as a function, and g seems to have grown. Neither must be
// reported.
TEST(InlineRows, AFasterFunctionDoesNotGrowByWhatIsInlinedIntoIt) {
  const MadeProfile apart = MadeProfile("p").add("f", 1500).add("g", 1000).add("h", 3000);
  const MadeProfile inlined = MadeProfile("p").add("f", 600, "g").add("g", 900).add("h", 3000);
  const auto grew = [](const Comparison& comparison) {
    std::vector<std::string> names;
    for (const UnitChange& row : comparison.events.at(0).functions) {
      if (row.is_significant && row.after > row.before) names.push_back(row.name);
    }
    return names;
  };
  const Comparison faster = compared(apart, inlined), slower = compared(inlined, apart);
  EXPECT_EQ(grew(faster), std::vector<std::string>{});
  EXPECT_EQ(judged(faster, "function:*>5%"), Verdict::Kind::passed);
  EXPECT_NEAR(function_of(faster, "f").change().ratio, 0.4, 1e-9);
  EXPECT_TRUE(function_of(faster, "f").is_significant);
  EXPECT_EQ(grew(slower), std::vector<std::string>{"f"});
  EXPECT_EQ(judged(slower, "function:f>5%"), Verdict::Kind::failed);
}

// If a compiler assigns all cost to the host, or all cost to the inlined function, both become one row. Either name
// finds this row.
TEST(InlineRows, WhatMovedBetweenAHostAndWhatItInlinesIsOneRow) {
  const MadeProfile before = MadeProfile("p").add("f", 1500).add("f", 10, "g").add("g", 1000);
  const MadeProfile after = MadeProfile("p").add("f", 400, "g").add("g", 1800);
  const Comparison found = compared(before, after);
  ASSERT_EQ(found.events.at(0).functions.size(), 1u);
  const UnitChange& row = function_of(found, "g");
  EXPECT_NEAR(row.change().ratio, 2200.0 / 2510, 1e-9);
  EXPECT_EQ(row.with, std::vector<std::string>{"f"});
  EXPECT_TRUE(diag::names_all(row.note, {"with f", "inlined", "one side"}));
  EXPECT_EQ(judged(found, "function:f>5%"), Verdict::Kind::passed);
  EXPECT_EQ(judged(found, "function:g>5%"), Verdict::Kind::passed);
}

// A loop around a function that had most of the cost: the few samples of the loop must not seem to have grown, and must
// not get a separate row.
TEST(InlineRows, ASmallHostOfWhatBecameFasterDoesNotGrow) {
  const MadeProfile before = MadeProfile("p").add("f", 7200).add("g", 1000).add("h", 5000);
  const MadeProfile after = MadeProfile("p").add("f", 1900, "g").add("g", 1340).add("h", 5000);
  const Comparison found = compared(before, after);
  const UnitChange& row = function_of(found, "g");
  EXPECT_NEAR(row.change().ratio, 3240.0 / 8200, 1e-9);
  EXPECT_TRUE(row.is_significant);
  EXPECT_EQ(row.with, std::vector<std::string>{"f"});
  EXPECT_EQ(judged(found, "function:*>5%"), Verdict::Kind::passed);
  // If a function is inlined everywhere, no single host has the cost.
  const MadeProfile everywhere =
      MadeProfile("p").add("f", 400, "g").add("f", 700, "h").add("f", 800, "i").add("g", 1340).add("h", 5000);
  EXPECT_EQ(function_of(compared(before, everywhere), "f").with, std::vector<std::string>{});
}

TEST(InlineRows, WhatIsInlinedOnBothSidesIsPartOfItsHost) {
  const MadeProfile before = MadeProfile("p").add("f", 1000, "g").add("g", 1000);
  const MadeProfile after = MadeProfile("p").add("f", 2000, "g").add("g", 1000);
  const Comparison found = compared(before, after);
  ASSERT_EQ(found.events.at(0).functions.size(), 1u);
  EXPECT_DOUBLE_EQ(function_of(found, "g").change().ratio, 1.5);
  EXPECT_EQ(judged(found, "function:f>5%"), Verdict::Kind::unknown);
  const Verdict told = judge(found, {request::parse_fail_condition("function:f>5%").value()}).at(0);
  EXPECT_TRUE(diag::names_all(told.why, {"f: ", "both sides", "inlined into: g"}));
}

TEST(InlineRows, AFunctionInlinedIntoSeveralNamesThemAll) {
  const MadeProfile before = MadeProfile("prog").add("f", 900).add("g", 500).add("h", 500);
  const MadeProfile two = MadeProfile("prog").add("f", 300, "h").add("f", 600, "g").add("g", 500).add("h", 500);
  EXPECT_EQ(function_of(compared(before, two), "f").note, "moved into g and h, which now have it inlined");
  EXPECT_EQ(function_of(compared(two, before), "f").note, "moved out of g and h, which had it inlined");
  MadeProfile many = MadeProfile("prog").add("g", 500).add("h", 500);
  for (u64 i = 0; i < 6; ++i) many.add("f", 100 + i, "host" + std::to_string(i));
  EXPECT_EQ(function_of(compared(before, many), "f").note,
            "moved into host5, host4, host3 and 3 more, which now have it inlined");
}

}  // namespace
}  // namespace wperf::compare
