// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/count_parts.h"

#include <gtest/gtest.h>

namespace wperf::plan {
namespace {

// "a b" two events; "(a b)" a group; "-a" needs no counter.
CountPlan plan_of(const std::vector<std::string>& words) {
  CountPlan plan;
  u32 group = 0;
  bool inside = false;
  for (std::string word : words) {
    if (word == "(") {
      inside = true;
      continue;
    }
    if (word == ")") {
      inside = false;
      ++group;
      continue;
    }
    Entry entry;
    if (word.front() == '-') {
      entry.kernel_event = KernelEvent{.cores = {}};
      word.erase(0, 1);
    }
    entry.name = word;
    if (inside) entry.group = group;
    plan.schedules[index_of(EventClass::core)].entries.push_back(entry);
  }
  return plan;
}

std::string text_of(const std::vector<CountPlan>& parts) {
  std::string text;
  for (const CountPlan& part : parts) {
    for (const Entry& entry : part.schedules[index_of(EventClass::core)].entries) text += entry.name;
    text += ";";
  }
  return text;
}

TEST(CountParts, FillEachRun) {
  const CountPlan five = plan_of({"a", "b", "c", "d", "e"});
  EXPECT_EQ(text_of(parts_of(five, 0)), "abcde;");
  EXPECT_EQ(text_of(parts_of(five, 5)), "abcde;");
  EXPECT_EQ(text_of(parts_of(five, 4)), "abcd;e;");
  EXPECT_EQ(text_of(parts_of(five, 1)), "a;b;c;d;e;");
}

TEST(CountParts, GroupsStayTogetherAndWhatNeedsNoCounterComesFirst) {
  EXPECT_EQ(text_of(parts_of(plan_of({"(", "a", "b", ")", "(", "c", "d", ")", "e"}), 3)), "ab;cde;");
  EXPECT_EQ(text_of(parts_of(plan_of({"a", "b", "c", "-t"}), 2)), "abt;c;");
  EXPECT_EQ(text_of(parts_of(plan_of({"-t", "a"}), 1)), "ta;");
}

}  // namespace
}  // namespace wperf::plan
