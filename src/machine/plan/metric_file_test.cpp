// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/metric_file.h"

#include <gtest/gtest.h>

namespace wperf::plan {
namespace {

std::string spelled(std::string_view text) {
  const auto result = parse_metric_file(text);
  if (!result.has_value()) return result.error().text;
  std::string out;
  for (const MetricLine& line : result.value()) out += line.name + "=" + line.definition + ";";
  return out;
}

TEST(MetricFile, LinesCommentsAndBlanks) {
  EXPECT_EQ(spelled("a:{x,y}\nb:z\n"), "a={x,y};b=z;");
  EXPECT_EQ(spelled("# all: of this\n\n   \t\n  a : { x , y } \r\n#\nb:z"), "a={x,y};b=z;");
  EXPECT_EQ(spelled("  # indented comment\n"), "");
  EXPECT_EQ(spelled("\xef\xbb\xbf"
                    "a:b\r\n"),
            "a=b;");
  EXPECT_EQ(spelled(""), "");
}

TEST(MetricFile, ALineWithoutEventsKeepsItsName) {
  EXPECT_EQ(spelled("lonely"), "lonely=;");
  EXPECT_EQ(spelled("lonely:"), "lonely=;");
  EXPECT_EQ(spelled(":x"), "=x;");
}

TEST(MetricFile, AThirdPartIsAnError) {
  EXPECT_EQ(spelled("a:b: c "), "unrecognized config component 'c'");
  EXPECT_EQ(spelled("ok:x\na:b:c:d"), "unrecognized config component 'c'");
  EXPECT_EQ(spelled("a:b::"), "unrecognized config component ''");
}

}  // namespace
}  // namespace wperf::plan
