// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/unicode.h"

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

TEST(WideText, CharactersOfEveryLengthComeBack) {
  const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9ez";  // a ä € 𝄞 z
  EXPECT_EQ(wide_of(text), L"a\u00e4\u20ac\U0001d11ez");
  EXPECT_EQ(utf8_of(L"a\u00e4\u20ac\U0001d11ez"), text);
}

TEST(WideText, EmptyStaysEmpty) {
  EXPECT_EQ(wide_of(""), L"");
  EXPECT_EQ(utf8_of(L""), "");
}

TEST(WideText, BytesThatAreNoCharacterAreReplacedOneByOne) {
  EXPECT_EQ(wide_of("a\x80z"), L"a\ufffdz");                  // only a continuation byte
  EXPECT_EQ(wide_of("a\xe2\x82"), L"a\ufffd\ufffd");          // cut off
  EXPECT_EQ(wide_of("\xc0\xaf"), L"\ufffd\ufffd");            // overlong
  EXPECT_EQ(wide_of("\xed\xa0\x80"), L"\ufffd\ufffd\ufffd");  // a lone surrogate
  EXPECT_EQ(wide_of("\xf4\x90\x80\x80"), L"\ufffd\ufffd\ufffd\ufffd");
  EXPECT_EQ(wide_of("\xff"), L"\ufffd");
}

TEST(WideText, WideValuesThatAreNoCharacterAreReplaced) {
  EXPECT_EQ(utf8_of(std::wstring{L'a', static_cast<wchar_t>(0xd834), L'z'}), "a\xef\xbf\xbdz");
  EXPECT_EQ(utf8_of(std::wstring{static_cast<wchar_t>(0xdc00)}), "\xef\xbf\xbd");
  if (sizeof(wchar_t) == 4) {
    EXPECT_EQ(utf8_of(std::wstring{static_cast<wchar_t>(0x110000)}), "\xef\xbf\xbd");
  }
}

}  // namespace
}  // namespace wperf::text
