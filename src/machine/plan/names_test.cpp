// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/names.h"

#include <gtest/gtest.h>

#include <string>

#include "ground/diag/names_all_test.h"

namespace wperf::plan {
namespace {

std::string split_text(std::string_view text) {
  const ModifiedName split = split_modifiers(text);
  return std::string(split.name) + " " + std::string(split.letters);
}

TEST(EventModifiers, StandBehindTheName) {
  EXPECT_EQ(split_text("cycles:u"), "cycles u");
  EXPECT_EQ(split_text("inst_retired:ukp"), "inst_retired ukp");
  EXPECT_EQ(split_text("r1b:k"), "r1b k");
  EXPECT_EQ(split_text("cpu/event=0x3c/u"), "cpu/event=0x3c/ u");
  EXPECT_EQ(split_text("cpu/event=0x3c/:u"), "cpu/event=0x3c/ u");
  EXPECT_EQ(split_text("sched:sched_switch:k"), "sched:sched_switch k");
}

TEST(EventModifiers, InvalidModifiers) {
  for (const char* name :
       {"cycles", "sched:sched_switch", "cpu/event=0x3c/", "cycles:", ":u", "/dsu/l3d_cache", "cycles:uz", ""}) {
    EXPECT_EQ(split_text(name), std::string(name) + " ");
  }
}

TEST(EventModifiers, Meaning) {
  const EventModifiers both = read_modifiers("ukpp", "").value();
  EXPECT_TRUE(both.user && both.kernel && !both.hypervisor);
  EXPECT_EQ(both.precision, 2);
  EXPECT_TRUE(both.choose_modes());
  EXPECT_FALSE(read_modifiers("ppp", "").value().choose_modes()) << "modes are as -k says";
  EXPECT_EQ(read_modifiers("pppp", "").value().precision, 3);
  EXPECT_EQ(read_modifiers("P", "").value().precision, 3);
  EXPECT_TRUE(diag::names_all(read_modifiers("D", "cycles:D").error().text, {"'D'", "cycles:D"}));
}

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
