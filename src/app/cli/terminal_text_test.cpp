// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/terminal_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/ints.h"

namespace wperf::cli {
namespace {

TEST(Fold, WhatFitsStays) {
  const std::string text = "counting ... done\n\n        a    b\n        =    =\n        1    2\nno end";
  EXPECT_EQ(fold_lines(text, 80), text);
  EXPECT_EQ(fold_lines("", 80), "");
  EXPECT_EQ(fold_lines("no line at all, but \b\b far too long for the terminal it is shown on", 40),
            "no line at all, but \b\b far too long for the terminal it is shown on");
}

TEST(Fold, ATableIsCutBetweenColumns) {
  EXPECT_EQ(fold_lines("stats:\n"
                       "        counter value  event name  multiplexed    scaled value\n"
                       "        =============  ==========  ===========    ============\n"
                       "           49,248,809  cycle             20/20      49,248,809\n"
                       "          146,712,226  inst_spec         18/20     163,013,584\n"
                       "\n"
                       "                 2.0 seconds time elapsed\n",
                       50),
            "stats:\n"
            "        counter value  event name  multiplexed\n"
            "          scaled value\n"
            "        =============  ==========  ===========\n"
            "          ============\n"
            "           49,248,809  cycle             20/20\n"
            "            49,248,809\n"
            "          146,712,226  inst_spec         18/20\n"
            "           163,013,584\n"
            "\n"
            "                 2.0 seconds time elapsed\n");
}

TEST(Fold, LongCellsAreBrokenBehindCommasAndNeverInANumber) {
  const std::string text =
      "        Metric  Events\n"
      "        ======  ======\n"
      "        imix    {inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec}\n"
      "        ipc     {cpu_cycles,inst_retired}\n";
  const std::string folded = fold_lines(text, 45);
  std::istringstream lines(folded);
  std::string line, all;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 45u) << line;
    all += line;
  }
  EXPECT_NE(folded.find("{inst_spec,dp_spec,vfp_spec,"), std::string::npos) << folded;
  std::erase(all, ' ');
  std::string whole = text;
  std::erase_if(whole, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_EQ(all, whole) << "nothing is lost";
  EXPECT_EQ(fold_lines("the value of it is written as 123,456,789,012,345,678\n", 40),
            "the value of it is written as\n123,456,789,012,345,678\n");
}

TEST(Fold, ColoursAndOtherAlphabetsAreNoWidth) {
  const std::string text = "\x1b[31m0123456789012345678901234567890123456789\x1b[0m\n";
  EXPECT_EQ(fold_lines(text, 40), text);
  const std::string umlauts = "gr\u00fcn gr\u00fcn gr\u00fcn gr\u00fcn gr\u00fcn gr\u00fcn gr\u00fcn gr\u00fcn\n";
  EXPECT_EQ(fold_lines(umlauts, 40), umlauts);
}

std::string shown(std::string_view text, bool animated = false) {
  std::string scratch;
  return std::string(sanitize_text(text, {.backspace = animated, .colours = animated}, scratch));
}

TEST(HarmlessText, LeavesTextAlone) {
  const std::string_view text = "a\tb\n\xc3\xa4\xc2\xa0\xe2\x82\xac\n";
  std::string scratch;
  EXPECT_EQ(sanitize_text(text, {}, scratch), text);
  EXPECT_EQ(shown(""), "");
}

TEST(HarmlessText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(shown("x\x1b]0;title\x07y\x7f\r"), "x\\x1b]0;title\\x07y\\x7f\\x0d");
  EXPECT_EQ(shown("\xc2\x9b"
                  "31m"),
            "\\x9b31m");
  EXPECT_EQ(shown(std::string_view("\0\b", 2)), "\\x00\\x08");
  EXPECT_EQ(shown("\x1b[1mbold"), "\\x1b[1mbold");
}

// Long texts are checked in blocks.
TEST(HarmlessText, FindsOneSignAnywhere) {
  for (usize length = 1; length < 200; ++length) {
    for (usize at = 0; at < length; ++at) {
      std::string text(length, 'a'), shown_text = text;
      text[at] = '\x1b';
      shown_text.replace(at, 1, "\\x1b");
      ASSERT_EQ(shown(text), shown_text) << length << ' ' << at;
    }
  }
}

TEST(HarmlessText, OnATerminalOwnSignsPass) {
  EXPECT_EQ(shown("\b-", true), "\b-");
  EXPECT_EQ(shown("cold\n\x1b[1;31mred\x1b[0m\n 1  \x1b[32mgreen\x1b[0m", true),
            "cold\n\x1b[1;31mred\x1b[0m\n 1  \x1b[32mgreen\x1b[0m");
  EXPECT_EQ(shown("\x1b[1;31mred\x1b[0m"), "\\x1b[1;31mred\\x1b[0m");
  EXPECT_EQ(shown("\x1b[2J\x1b[31", true), "\\x1b[2J\\x1b[31");
}

// Names are in the middle of a line, and may contain any character.
TEST(HarmlessText, NamesDoNotOverwriteNorHideAnything) {
  EXPECT_EQ(shown(" 99 %  evil\b\b\b\b 0 %", true), " 99 %  evil\\x08\\x08\\x08\\x08 0 %");
  EXPECT_EQ(shown("\x1b[30;40mhidden\x1b[8m", true), "\\x1b[30;40mhidden\\x1b[8m");
}

TEST(HarmlessText, ColoursOfNamesAreNotOurs) {
  EXPECT_EQ(shown("\x1b[31m 99 % a\x1b[0mb\x1b[32mc\x1b[0m\n", true), "\x1b[31m 99 % a\\x1b[0mb\\x1b[32mc\x1b[0m\n");
  EXPECT_EQ(shown("  1 of \x1b[31mname\x1b[0m\n", true), "  1 of \\x1b[31mname\\x1b[0m\n");
  EXPECT_EQ(shown("\x1b[31mname", true), "\\x1b[31mname");
  EXPECT_EQ(shown("\x1b[0m\n", true), "\\x1b[0m\n");
}

TEST(HarmlessText, BytesThatAreNoCharacters) {
  EXPECT_EQ(shown("a\x9b"
                  "31mb"),
            "a\\x9b31mb");
  EXPECT_EQ(shown("\xc3\xa4\x9b\xe2\x82\x85\xff"), "\xc3\xa4\\x9b\xe2\x82\x85\xff");
  EXPECT_EQ(shown("\xe2\x82"), "\xe2\\x82");
}

TEST(HarmlessText, NothingIsTurnedAround) {
  EXPECT_EQ(shown("\xe2\x80\xaegnp.exe"), "\\u202egnp.exe");
  EXPECT_EQ(shown("a\xe2\x81\xa6z\xe2\x81\xa9"), "a\\u2066z\\u2069");
  EXPECT_EQ(shown("\xe2\x94\x9c \xe2\x80\xa6"), "\xe2\x94\x9c \xe2\x80\xa6");
}

}  // namespace
}  // namespace wperf::cli
