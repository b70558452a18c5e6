// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/wide_text.h"

#include <gtest/gtest.h>

namespace wperf::capi {
namespace {

TEST(WideText, CharactersOfEveryLengthComeBack) {
  const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9ez";  // a ä € 𝄞 z
  EXPECT_EQ(wide(text), L"a\u00e4\u20ac\U0001d11ez");
  EXPECT_EQ(utf8(L"a\u00e4\u20ac\U0001d11ez"), text);
}

TEST(WideText, EmptyStaysEmpty) {
  EXPECT_EQ(wide(""), L"");
  EXPECT_EQ(utf8(L""), "");
}

TEST(WideText, BytesThatAreNoCharacterAreReplacedOneByOne) {
  EXPECT_EQ(wide("a\x80z"), L"a\ufffdz");                  // only a continuation
  EXPECT_EQ(wide("a\xe2\x82"), L"a\ufffd\ufffd");          // cut off
  EXPECT_EQ(wide("\xc0\xaf"), L"\ufffd\ufffd");            // longer than it need be
  EXPECT_EQ(wide("\xed\xa0\x80"), L"\ufffd\ufffd\ufffd");  // half of a pair
  EXPECT_EQ(wide("\xf4\x90\x80\x80"), L"\ufffd\ufffd\ufffd\ufffd");
  EXPECT_EQ(wide("\xff"), L"\ufffd");
}

TEST(WideText, WideValuesThatAreNoCharacterAreReplaced) {
  EXPECT_EQ(utf8(std::wstring{L'a', static_cast<wchar_t>(0xd834), L'z'}), "a\xef\xbf\xbdz");
  EXPECT_EQ(utf8(std::wstring{static_cast<wchar_t>(0xdc00)}), "\xef\xbf\xbd");
  if (sizeof(wchar_t) == 4) {
    EXPECT_EQ(utf8(std::wstring{static_cast<wchar_t>(0x110000)}), "\xef\xbf\xbd");
  }
}

}  // namespace
}  // namespace wperf::capi
