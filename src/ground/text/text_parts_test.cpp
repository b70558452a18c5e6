// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ground/text/base64.h"
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

}  // namespace
}  // namespace wperf::text
