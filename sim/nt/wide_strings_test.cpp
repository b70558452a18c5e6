// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/wide_strings.h"

#include <gtest/gtest.h>

#include <utility>

namespace wperf::sim {
namespace {

TEST(Unicode, both_ways) {
  const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";  // a, U+00E4, U+20AC, U+1F600
  const std::vector<u16> wide = to_utf16(text);
  EXPECT_EQ(wide, (std::vector<u16>{'a', 0xe4, 0x20ac, 0xd83d, 0xde00}));
  EXPECT_EQ(to_utf8(wide), text);
  EXPECT_TRUE(to_utf16("").empty());
  EXPECT_EQ(to_utf8(std::vector<u16>{}), "");
}

TEST(Unicode, what_is_not_well_formed_is_replaced) {
  // A byte that cannot begin a character, a truncated character, an overlong encoding, half of a surrogate pair.
  EXPECT_EQ(to_utf16("x\xffy"), (std::vector<u16>{'x', 0xfffd, 'y'}));
  EXPECT_EQ(to_utf16("\xe2\x82"), (std::vector<u16>{0xfffd, 0xfffd}));
  EXPECT_EQ(to_utf16("\xc0\xafz"), (std::vector<u16>{0xfffd, 0xfffd, 'z'}));
  EXPECT_EQ(to_utf16("\xed\xa0\x80").front(), 0xfffd);
  EXPECT_EQ(to_utf16("\xf4\x90\x80\x80").front(), 0xfffd);
  EXPECT_EQ(to_utf8(std::vector<u16>{0xd83d, 'x', 0xde00}), "\xef\xbf\xbdx\xef\xbf\xbd");
}

TEST(Unicode, letters_of_both_cases_are_equal) {
  EXPECT_TRUE(same_ignoring_case("Straße.TXT", "sTRAßE.txt"));
  EXPECT_TRUE(same_ignoring_case("ΓΕΙΆ ÄRGER ЖЁ Ǆ Ȿ Ᾱ Ｚ", "γειά ärger жё ǆ ȿ ᾱ ｚ"));
  EXPECT_TRUE(same_ignoring_case("ᾳ", "ᾼ"));
  EXPECT_TRUE(same_ignoring_case("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"));
  // As on Windows, small letters that share a capital letter with another small letter have no capital.
  for (const auto& [one, other] :
       {std::pair("ı", "I"), {"ſ", "S"}, {"\u212a", "k"}, {"ς", "Σ"}, {"µ", "Μ"}, {"ß", "SS"}, {"İ", "i"}})
    EXPECT_FALSE(same_ignoring_case(one, other)) << one;
  EXPECT_FALSE(same_ignoring_case("ä", "äx"));
  EXPECT_FALSE(same_ignoring_case("×", "÷")) << "signs between letters";
  EXPECT_EQ(in_lower_case("ÀB Ж.Dll"), "àb ж.dll");
  EXPECT_EQ(small_letter(0xd83d), 0xd83d);
  EXPECT_EQ(small_letter(0xffff), 0xffff);
}

}  // namespace
}  // namespace wperf::sim
