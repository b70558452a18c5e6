// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/comparison_request.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

using Kind = FailCondition::Kind;

void expect_condition(std::string_view text, Kind kind, std::string_view name, double percent) {
  const auto parsed = parse_fail_condition(text);
  ASSERT_TRUE(parsed.has_value()) << text;
  EXPECT_EQ(parsed.value().kind, kind) << text;
  EXPECT_EQ(parsed.value().name, name) << text;
  EXPECT_DOUBLE_EQ(parsed.value().percent, percent) << text;
  EXPECT_EQ(parsed.value().text, text);
}

TEST(FailCondition, NamesTotalsFunctionsModulesAndLines) {
  expect_condition("inst_retired>0.5%", Kind::total, "inst_retired", 0.5);
  expect_condition("cycles:u > 0 %", Kind::total, "cycles:u", 0);
  expect_condition("function:parse>5%", Kind::function, "parse", 5);
  expect_condition("function: std::vector<int>::operator[] > 12.25%", Kind::function, "std::vector<int>::operator[]",
                   12.25);
  expect_condition("function:a::operator>>5%", Kind::function, "a::operator>", 5);
  expect_condition("module:libz.so.1>10%", Kind::module, "libz.so.1", 10);
  expect_condition("line:main.c:12>3%", Kind::line, "main.c:12", 3);
  expect_condition("function:*>5%", Kind::function, "*", 5);
  expect_condition("inclusive:main>5%", Kind::inclusive, "main", 5);
}

TEST(FailCondition, InvalidConditionErrorShowsSyntax) {
  for (const std::string_view text : {"", ">", "a", "a>", "a>5", ">5%", "a>-5%", "a>5%%", "function:>5%", "a<5%",
                                      "a>x%", "a>%", "a>1e9%", "a>1000001%", "a>5 5%", "a>nan%"}) {
    const auto parsed = parse_fail_condition(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_NE(parsed.error().hint.find("cpu-time>5%"), std::string::npos);
    EXPECT_EQ(parsed.error().code, diag::ExitCode::usage);
  }
}

// Without this error, a misspelt kind would be interpreted as an event that was not measured.
TEST(FailCondition, MisspeltKindIsRefused) {
  const auto parsed = parse_fail_condition("functon:x>5%");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, diag::ExitCode::usage);
  EXPECT_EQ(parsed.error().hint, "did you mean function:x>5%?");
  expect_condition("sched:sched_switch>5%", Kind::total, "sched:sched_switch", 5);
  expect_condition("irq:irq_handler_entry>5%", Kind::total, "irq:irq_handler_entry", 5);
}

TEST(CostPer, IsAWordOrACounter) {
  EXPECT_EQ(parse_cost_per("share").value().unit, CostPer::Unit::share);
  EXPECT_EQ(parse_cost_per("second").value().unit, CostPer::Unit::second);
  EXPECT_EQ(parse_cost_per("run").value().unit, CostPer::Unit::run);
  EXPECT_EQ(parse_cost_per("inst_retired").value().counter, "inst_retired");
  EXPECT_FALSE(parse_cost_per("").has_value());
}

}  // namespace
}  // namespace wperf::request
