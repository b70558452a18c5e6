// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "ground/text/base64.h"
#include "ground/text/parts.h"
#include "ground/text/word_list.h"

namespace wperf::text {
namespace {

TEST(Base64, FillsUpGroupsOfThreeBytes) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo\xff"), "Zm9v/w==");
}

TEST(WordList, WordsHaveNumbers) {
  constexpr std::string_view kWords = "one two-a two";
  EXPECT_EQ(number_of_word(kWords, "one"), 0u);
  EXPECT_EQ(number_of_word(kWords, "two"), 2u);
  EXPECT_EQ(word_at(kWords, 1), "two-a");
  for (const char* other : {"", "tw", "one two-a", "o"})
    EXPECT_FALSE(number_of_word(kWords, other).has_value()) << other;
  EXPECT_EQ(word_at(kWords, 3), "");
  EXPECT_EQ(word_at("", 0), "");
  EXPECT_EQ(with_commas_between(kWords), "one, two-a, two");
}

TEST(Parts, AreJoined) {
  EXPECT_EQ(joined(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(joined(std::array<std::string_view, 1>{"alone"}, ", "), "alone");
  EXPECT_EQ(joined(std::set<u32>{7, 4294967295u}, ","), "7,4294967295");
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"", "b"}, ", "), ", b");
}

}  // namespace
}  // namespace wperf::text
