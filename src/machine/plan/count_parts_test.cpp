// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/count_parts.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

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

// Members of group g are 1000*(g+1)+i; single events are 1, 2, …; padding is 0.
using Numbers = std::vector<int>;

Entry entry_of(int number) {
  Entry entry;
  entry.code = static_cast<u16>(number);
  entry.name = std::to_string(number);
  return entry;
}

Numbers padded(const std::vector<u32>& group_sizes, u32 single_count, u32 counters) {
  std::vector<std::vector<Entry>> groups;
  for (usize g = 0; g < group_sizes.size(); ++g) {
    groups.emplace_back();
    for (u32 i = 0; i < group_sizes[g]; ++i) groups.back().push_back(entry_of(static_cast<int>(1000 * (g + 1) + i)));
  }
  std::vector<Entry> singles;
  for (u32 i = 0; i < single_count; ++i) singles.push_back(entry_of(static_cast<int>(i + 1)));
  Numbers numbers;
  for (const Entry& entry : pad_schedule(std::move(groups), std::move(singles), counters)) {
    EXPECT_EQ(entry.padding, entry.name.empty());
    if (entry.padding) {
      EXPECT_EQ(entry.code, kPaddingEvent);
    }
    numbers.push_back(entry.padding ? 0 : entry.code);
  }
  return numbers;
}

// Contract 4.1 implemented step by step, without regard to speed.
Numbers padded_by_the_book(const std::vector<u32>& group_sizes, u32 single_count, u32 f) {
  Numbers singles;
  for (u32 i = 0; i < single_count; ++i) singles.insert(singles.begin(), static_cast<int>(single_count - i));
  Numbers flat;
  for (usize g = 0; g < group_sizes.size(); ++g) {
    Numbers members;
    for (u32 i = 0; i < group_sizes[g]; ++i) members.push_back(static_cast<int>(1000 * (g + 1) + i));
    usize k = 0;
    for (auto it = flat.rbegin(); it != flat.rend() && *it == 0; ++it) ++k;
    if (k >= members.size()) {
      const usize first = flat.size() - k;
      for (usize i = 0; i < members.size(); ++i) flat.at(first + i) = members.at(i);
    } else {
      for (const int member : members) flat.push_back(member);
    }
    while (flat.size() % f != 0) {
      if (singles.empty()) {
        flat.push_back(0);
      } else {
        flat.push_back(singles.front());
        singles.erase(singles.begin());
      }
    }
  }
  for (const int single : singles) flat.push_back(single);
  if (!group_sizes.empty()) {
    while (flat.size() % f != 0) flat.push_back(0);
  }
  return flat;
}

TEST(Padding, WithoutGroupsThereIsNone) {
  EXPECT_EQ(padded({}, 7, 6), (Numbers{1, 2, 3, 4, 5, 6, 7}));
}

TEST(Padding, ExamplesOfTheContract) {
  EXPECT_EQ(padded({2}, 0, 6), (Numbers{1000, 1001, 0, 0, 0, 0}));
  EXPECT_EQ(padded({2}, 2, 6), (Numbers{1000, 1001, 1, 2, 0, 0}));
  EXPECT_EQ(padded({3}, 5, 6), (Numbers{1000, 1001, 1002, 1, 2, 3, 4, 5, 0, 0, 0, 0}));
  EXPECT_EQ(padded({2, 2, 2}, 1, 6), (Numbers{1000, 1001, 1, 2000, 2001, 0, 3000, 3001, 0, 0, 0, 0}));
}

TEST(Padding, FullGroupsNeedNone) {
  EXPECT_EQ(padded({6, 6}, 0, 6).size(), 12u);
  EXPECT_EQ(padded({1}, 0, 1), (Numbers{1000}));
  EXPECT_EQ(padded({4, 2}, 0, 6), (Numbers{1000, 1001, 1002, 1003, 2000, 2001}));
}

TEST(Padding, EqualsTheBookOnRandomInputs) {
  std::mt19937 random(20261121);
  const auto below = [&](u32 limit) { return static_cast<u32>(random() % limit); };
  for (int round = 0; round < 20'000; ++round) {
    const u32 counters = 1 + below(8);
    std::vector<u32> sizes(below(12));
    for (u32& size : sizes) size = 1 + below(counters);
    const u32 single_count = below(20);
    const Numbers result = padded(sizes, single_count, counters);
    ASSERT_EQ(result, padded_by_the_book(sizes, single_count, counters)) << "round " << round;
    for (usize i = 0; i + 1 < result.size(); ++i) {  // no group crosses a time slot
      const bool same_group = result[i] >= 1000 && result[i] / 1000 == result[i + 1] / 1000;
      if (same_group) {
        ASSERT_NE((i + 1) % counters, 0u) << "round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace wperf::plan
