// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/screen.h"

#include <gtest/gtest.h>

namespace wperf::top {
namespace {

std::string put(std::string_view text, usize most) {
  Line line(most);
  line.put(text);
  EXPECT_LE(line.columns(), most) << text;
  EXPECT_EQ(line.columns(), columns_of(line.text())) << text;
  return line.text();
}

TEST(Cells, TruncatedCellsAreMarked) {
  EXPECT_EQ(put("abc", 3), "abc");
  EXPECT_EQ(put("abcd", 3), "ab~");
  EXPECT_EQ(put("abcd", 1), "~");
  EXPECT_EQ(put("abcd", 0), "");
}

TEST(Cells, WideCharactersAreNeverHalved) {
  EXPECT_EQ(columns_of("漢字"), 4u);
  EXPECT_EQ(put("漢字", 4), "漢字");
  EXPECT_EQ(put("漢字x", 4), "漢~");
  EXPECT_EQ(put("漢字", 3), "漢~");
  EXPECT_EQ(put("漢字", 2), "~");
  EXPECT_EQ(columns_of("e\xcc\x81"), 1u);  // with a combining mark
  EXPECT_EQ(columns_of("🔥"), 2u);
}

TEST(Cells, NoControlCharacterGetsThrough) {
  EXPECT_EQ(put("a\x1b[2Jb", 40), "a\\x1b[2Jb");
  EXPECT_EQ(put("\xc2\x9b"
                "31m\r\n\x07",
                40),
            "\\x9b31m\\x0d\\x0a\\x07");
  EXPECT_EQ(put("\xe2\x80\xae"
                "evil",
                40),
            "\\u202eevil");  // text from right to left
  EXPECT_EQ(put("\xff\xfe", 40), "\xef\xbf\xbd\xef\xbf\xbd");
  // Even a cut sequence is harmless.
  for (usize most = 0; most < 12; ++most) EXPECT_EQ(put("\x1b]0;x\x07", most).find('\x1b'), std::string::npos);
}

TEST(Cells, Columns) {
  Line line(12);
  line.put_right("7", 4);
  line.put_left("ab", 4);
  line.put_left("long one", 4);
  EXPECT_EQ(line.text(), "   7ab  lon~");
  EXPECT_EQ(line.left(), 0u);
}

}  // namespace

namespace {

Picture picture_of(std::initializer_list<std::string_view> texts, Style style = Style::plain, usize columns = 10) {
  Picture picture{.columns = columns, .lines = {}};
  for (const std::string_view text : texts) {
    Line line(columns);
    line.put(text, style);
    picture.lines.push_back(std::move(line));
  }
  return picture;
}

TEST(Screen, OnlyLinesThatDifferAreWritten) {
  Screen screen(false);
  screen.change_to(picture_of({"one", "two", "three"}));
  EXPECT_EQ(screen.change_to(picture_of({"one", "two", "three"})), "");
  EXPECT_EQ(screen.change_to(picture_of({"one", "2", "three"})), "\x1b[2;1H\x1b[0m2\x1b[0m\x1b[K");
}

TEST(Screen, AllIsWrittenWhereNobodyKnowsWhatIsThere) {
  Screen screen(false);
  const std::string first = screen.change_to(picture_of({"one"}));
  EXPECT_TRUE(first.starts_with("\x1b[0m\x1b[2J"));
  screen.forget();
  EXPECT_EQ(screen.change_to(picture_of({"one"})), first);
  EXPECT_NE(screen.change_to(picture_of({"one", ""})).find("2J"), std::string::npos);  // the size has changed
}

TEST(Screen, NothingIsErasedBehindAFullLine) {
  Screen screen(false);
  EXPECT_EQ(screen.change_to(picture_of({"0123456789"})).find("\x1b[K"), std::string::npos);
}

TEST(Screen, ColoursOnlyWhereTheyAreWelcome) {
  EXPECT_NE(Screen(true).change_to(picture_of({"a"}, Style::hot)).find("\x1b[0;31m"), std::string::npos);
  EXPECT_EQ(Screen(false).change_to(picture_of({"a"}, Style::hot)).find("31"), std::string::npos);
  EXPECT_NE(Screen(false).change_to(picture_of({"a"}, Style::chosen)).find("\x1b[0;7m"), std::string::npos);
}

}  // namespace
}  // namespace wperf::top
