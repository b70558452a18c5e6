// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/cells.h"

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

TEST(Cells, WhatDoesNotFitIsMarked) {
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
  EXPECT_EQ(columns_of("e\xcc\x81"), 1u);  // with a mark above it
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
  // Cut, it is still harmless.
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
}  // namespace wperf::top
