// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/utf16.h"

#include <gtest/gtest.h>

#include <span>
#include <string_view>

namespace wperf::text {
namespace {

std::optional<std::string> utf8_in(std::string_view file) {
  return utf8_of_utf16(std::as_bytes(std::span(file.data(), file.size())));
}

TEST(Utf16, IsReadInBothByteOrders) {
  using std::literals::operator""sv;
  EXPECT_EQ(utf8_in("\xff\xfe{\0\xfc\0\xac\x20\x3d\xd8\x00\xde"sv), "{ü€😀");
  EXPECT_EQ(utf8_in("\xfe\xff\0{\0\xfc\x20\xac\xd8\x3d\xde\x00"sv), "{ü€😀");
  EXPECT_EQ(utf8_in("\xff\xfe"sv), "");
}

TEST(Utf16, WhatIsCutOrHalfIsNoCharacter) {
  using std::literals::operator""sv;
  EXPECT_EQ(utf8_in("\xff\xfe{\0x"sv), "{");
  EXPECT_EQ(utf8_in("\xff\xfe\x3d\xd8"sv), "\xef\xbf\xbd");
  EXPECT_EQ(utf8_in("\xff\xfe\x00\xde{\0"sv), "\xef\xbf\xbd{");
}

TEST(Utf16, OtherFilesAreNone) {
  EXPECT_FALSE(utf8_in("").has_value());
  EXPECT_FALSE(utf8_in("\xff").has_value());
  EXPECT_FALSE(utf8_in("\xef\xbb\xbf{}").has_value());
}

}  // namespace
}  // namespace wperf::text
