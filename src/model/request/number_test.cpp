// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/number.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

TEST(Number, DecimalTakesDigitsOnly) {
  EXPECT_EQ(parse_decimal("0"), 0u);
  EXPECT_EQ(parse_decimal("007"), 7u);
  EXPECT_EQ(parse_decimal("18446744073709551615"), 18446744073709551615u);
  for (const char* bad : {"", "1x", "x1", "-1", "+1", " 1", "1 ", "0x1", "1.0"}) {
    EXPECT_FALSE(parse_decimal(bad).has_value()) << bad;
  }
}

TEST(Number, CNotation) {
  EXPECT_EQ(parse_c_number("27"), 27u);
  EXPECT_EQ(parse_c_number("0x1b"), 27u);
  EXPECT_EQ(parse_c_number("0X1B"), 27u);
  EXPECT_EQ(parse_c_number("033"), 27u);
  EXPECT_EQ(parse_c_number("0"), 0u);
  EXPECT_EQ(parse_c_number("0xffffffffffffffff"), 0xffffffffffffffffu);
  for (const char* bad : {"", "0x", "0xp", "0xp123", "08", "x1", "_123", "a", "1b"}) {
    EXPECT_FALSE(parse_c_number(bad).has_value()) << bad;
  }
}

TEST(Number, TooLargeSaturates) {
  EXPECT_EQ(parse_decimal("18446744073709551616"), ~u64{0});
  EXPECT_EQ(parse_decimal("999999999999999999999999999999"), ~u64{0});
  EXPECT_EQ(parse_c_number("0x10000000000000000"), ~u64{0});
}

TEST(Number, HexDigitsWithoutPrefix) {
  EXPECT_EQ(parse_digits("1B", 16), 0x1bu);
  EXPECT_FALSE(parse_digits("1g", 16).has_value());
  EXPECT_FALSE(parse_digits("", 16).has_value());
}

TEST(Duration, Table) {
  struct Case {
    const char* text;
    u64 milliseconds;
  };
  const Case cases[] = {
      {"0", 0},       {"1", 1000},        {"10", 10'000},       {"0.1s", 100},
      {"0.01", 10},   {"0.10", 100},      {"2.50h", 9'000'000}, {"199.99m", 11'999'400},
      {"750ms", 750}, {"700ms", 700},     {"0.5ms", 1},         {"1.99ms", 1},
      {"0.01m", 600}, {"1d", 86'400'000}, {"0.01d", 864'000},   {"2.2", 2200},
      {"1.3", 1300},  {"0ms", 0},         {"0.0", 0},           {"9223372036854ms", 9'223'372'036'854}};
  for (const Case& test : cases) {
    const auto result = parse_duration(test.text, "--timeout");
    ASSERT_TRUE(result.has_value()) << test.text;
    EXPECT_EQ(result.value().milliseconds, test.milliseconds) << test.text;
  }
}

TEST(Duration, BadOnesNameTheSpellingUsed) {
  for (const char* bad : {".5",
                          "01",
                          "3.222s",
                          "-1",
                          "2d30m",
                          "1!s",
                          "",
                          "1.",
                          "1.s",
                          "s",
                          "1S",
                          "1 s",
                          " 1",
                          "00",
                          "1e3",
                          "1us",
                          "0x1",
                          "1..2",
                          "+1",
                          "9223372036855ms",
                          "106752d",
                          "99999999999999999999",
                          "184467440737095517"}) {
    const auto result = parse_duration(bad, "sleep");
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().text, "input: \"" + std::string(bad) + "\" to argument 'sleep' is invalid");
    EXPECT_TRUE(result.error().verbatim);
    EXPECT_EQ(result.error().code, diag::ExitCode::failed);
  }
}

TEST(Duration, AMissingDigitBeforeThePointIsHintedAt) {
  EXPECT_EQ(parse_duration(".3", "--timeout").error().hint, "a digit is needed before the point: 0.3");
  EXPECT_EQ(parse_duration(".25m", "-i").error().hint, "a digit is needed before the point: 0.25m");
  for (const char* other : {".", ".x", ".333", "1.", "01"})
    EXPECT_EQ(parse_duration(other, "-i").error().hint, "") << other;
}

TEST(Duration, ManyDecimalsAreHintedAt) {
  for (const char* long_one : {"0.123", "1.2345s", "0.001m"}) {
    const diag::Error error = parse_duration(long_one, "--timeout").error();
    EXPECT_TRUE(error.hint.starts_with("at most two digits")) << long_one << error.hint;
  }
  for (const char* other : {"0.123x", "1.23.4", "", ".", "x"})
    EXPECT_EQ(parse_duration(other, "-i").error().hint, "") << other;
}

TEST(Number, LimitsBelongToTheRange) {
  EXPECT_EQ(parse_number("0", "-n").value(), 0u);
  EXPECT_EQ(parse_number("4294967295", "-n").value(), ~u32{0});
  EXPECT_EQ(parse_number("2", "-n", 2, 5).value(), 2u);
  EXPECT_EQ(parse_number("5", "-n", 2, 5).value(), 5u);
  for (const char* bad : {"1", "6", "", "x", "-2", "18446744073709551618"}) {
    const auto result = parse_number(bad, "-n", 2, 5);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().text, "invalid value '" + std::string(bad) + "' for -n");
    EXPECT_EQ(result.error().hint, "use a number from 2 to 5");
  }
}

TEST(Duration, WhatIsNotZeroNeverBecomesEndless) {
  EXPECT_EQ(parse_duration("0.01ms", "--timeout").value().milliseconds, 1u);
  EXPECT_EQ(parse_duration("0.00s", "--timeout").value().milliseconds, 0u);
}

}  // namespace
}  // namespace wperf::request
