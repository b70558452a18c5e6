// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/core_list.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf::request {
namespace {

std::string ranges_of(std::string_view text) {
  const auto result = parse_core_list(text);
  if (!result.has_value()) return result.error().text;
  std::string out;
  for (const CoreRange& range : result.value()) {
    if (!out.empty()) out += ' ';
    out += std::to_string(range.first) + ".." + std::to_string(range.last);
  }
  return out;
}

TEST(CoreList, NumbersAndRangesInEitherDirection) {
  EXPECT_EQ(ranges_of("0"), "0..0");
  EXPECT_EQ(ranges_of("3,1,2"), "3..3 1..1 2..2");
  EXPECT_EQ(ranges_of("0-3"), "0..3");
  EXPECT_EQ(ranges_of("3-1"), "1..3");
  EXPECT_EQ(ranges_of("7,0-2,1-1,7"), "7..7 0..2 1..1 7..7");
}

TEST(CoreList, NumbersAbove255DoNotWrap) {
  EXPECT_EQ(ranges_of("256"), "256..256");
  EXPECT_EQ(ranges_of("65536"), "65536..65536");
  EXPECT_EQ(ranges_of("4294967295"), "4294967295..4294967295");
  EXPECT_EQ(ranges_of("4294967296"), "core index 4294967296 not allowed, see option -c <n>");
}

TEST(CoreList, BadFormat) {
  for (const char* bad :
       {"", ",", "1,", ",1", "a", "1-", "-1", "1-2-3", "1 2", " 1", "1,,2", "0x1", "1-a", "1;2", "1.0"}) {
    EXPECT_EQ(ranges_of(bad),
              "option -c format not supported, use comma separated list of integers, or range of integers")
        << bad;
  }
}

TEST(CoreList, AtMost128Entries) {
  EXPECT_EQ(ranges_of("0-127"), "0..127");
  EXPECT_EQ(ranges_of("0-128"), "you can specify up to 128cores with -c <cpu_list> option");
  EXPECT_EQ(ranges_of("0-4294967295"), "you can specify up to 128cores with -c <cpu_list> option");
  std::string many = "0";
  for (int i = 1; i < 128; ++i) many += ",0";
  EXPECT_TRUE(parse_core_list(many).has_value());
  many += ",0";
  EXPECT_EQ(ranges_of(many), "you can specify up to 128cores with -c <cpu_list> option");
}

TEST(CoreList, OfOursTheErrorsNameTheOptionAndThereIsNoLimit) {
  EXPECT_EQ(parse_core_list("0-255", kSampledCores).value().at(0).last, 255u);
  EXPECT_EQ(parse_core_list("x", kSampledCores).error().text,
            "option --cores format not supported, use comma separated list of integers, or range of integers");
  EXPECT_EQ(parse_core_list("4294967296", kSampledCores).error().text,
            "core index 4294967296 not allowed, see option --cores <n>");
}

}  // namespace
}  // namespace wperf::request
