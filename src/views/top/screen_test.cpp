// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/screen.h"

#include <gtest/gtest.h>

namespace wperf::top {
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
  EXPECT_NE(screen.change_to(picture_of({"one", ""})).find("2J"), std::string::npos);  // another size
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
