// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/fold.h"

#include <gtest/gtest.h>

#include <sstream>

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

}  // namespace
}  // namespace wperf::cli
