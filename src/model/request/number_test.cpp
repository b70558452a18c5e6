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

}  // namespace
}  // namespace wperf::request
