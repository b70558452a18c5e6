// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/escaping.h"

#include <gtest/gtest.h>

namespace wperf::report {
namespace {

std::string csv_field(std::string_view text) {
  std::string out = "before,";
  append_csv_field(out, text);
  return out.substr(7);
}

TEST(CsvField, QuotesWhatSeparates) {
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("operator=="), "operator==");
  EXPECT_EQ(csv_field("f(int, int)"), "\"f(int, int)\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
}

TEST(CsvField, NothingIsAFormula) {
  EXPECT_EQ(csv_field("=cmd|' /C calc'!A0"), "\"'=cmd|' /C calc'!A0\"");
  EXPECT_EQ(csv_field("@\"x\""), "\"'@\"\"x\"\"\"");
  for (const std::string begin : {"+", "-", "\t", "\r", "\n", "＝", "＋", "－", "＠"}) {
    EXPECT_EQ(csv_field(begin + "=1"), "\"'" + begin + "=1\"");
  }
  EXPECT_EQ(csv_field("-"), "-");
}

}  // namespace
}  // namespace wperf::report
