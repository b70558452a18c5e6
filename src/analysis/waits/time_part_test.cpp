// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/time_part.h"

#include <gtest/gtest.h>

#include "analysis/waits/played_machine_test.h"

namespace wperf::waits {
namespace {

// 7 waits from 10 to 80, and runs again at 90.
recording::RecordedSwitches one_wait() {
  recording::RecordedSwitches switches;
  switches.switches = {change(10, 0, 7, stacks::Leaving::waits, 8), wakes(80, 0, 8, 7),
                       change(90, 0, 8, stacks::Leaving::waits, 7)};
  switches.end = 100;
  return switches;
}

Accounting part_of_one_wait(u64 from, u64 to) {
  const recording::RecordedSwitches switches = one_wait();
  return part_of(account(switches.switches, {}, 0, 100), switches, {from, to});
}

TEST(TimePart, AWaitCountsWithinTheRange) {
  const Accounting middle = part_of_one_wait(30, 50);
  EXPECT_EQ(middle.threads[0].waiting, 20u);
  EXPECT_EQ(middle.threads[0].wall(), 20u);
  EXPECT_EQ(middle.threads[0].longest_wait, 20u);
  EXPECT_EQ(middle.threads[0].waits, 1u);
  ASSERT_TRUE(middle.waits[0].is_known);
  EXPECT_EQ(middle.waits[0].length(), 20u);
  EXPECT_EQ(middle.waits[0].latency(), 10u) << "that of the whole wait";
  EXPECT_TRUE(middle.waits[0].has_end);
  EXPECT_FALSE(middle.waits[1].is_known) << "8 began to wait after the range";
  EXPECT_EQ(middle.switches, 0u);
  const Accounting end = part_of_one_wait(60, 100);
  EXPECT_EQ(end.waits[0].length(), 20u);
  EXPECT_EQ(end.threads[0].ready, 10u);
  EXPECT_EQ(end.threads[0].running, 10u);
  EXPECT_EQ(end.threads[0].switches, 1u);
  EXPECT_EQ(end.waits[1].length(), 10u);
  EXPECT_FALSE(part_of_one_wait(80, 100).waits[0].is_known) << "its end is the begin of the range";
}

TEST(TimePart, PartsAddUpToTheWhole) {
  const PlayedMachine played(3);
  recording::RecordedSwitches switches;
  switches.switches = played.events;
  switches.unrecorded = {{.begin = played.now / 3, .end = played.now / 2, .core = 0}};
  const Accounting all = account(switches.switches, switches.unrecorded, 0, played.now);
  const Accounting whole = part_of(all, switches, {0, played.now + 1});
  std::vector<Accounting> parts;
  for (u64 i = 0; i < 10; ++i)
    parts.push_back(part_of(all, switches, {played.now * i / 10, i == 9 ? played.now + 1 : played.now * (i + 1) / 10}));
  for (usize i = 0; i < all.threads.size(); ++i) {
    ThreadTimes sum;
    for (const Accounting& part : parts) {
      sum.running += part.threads[i].running;
      sum.waiting += part.threads[i].waiting;
      sum.unknown += part.threads[i].unknown;
      sum.switches += part.threads[i].switches;
    }
    for (const ThreadTimes& times : {sum, whole.threads[i]}) {
      EXPECT_EQ(times.running, all.threads[i].running);
      EXPECT_EQ(times.waiting, all.threads[i].waiting);
      EXPECT_EQ(times.unknown, all.threads[i].unknown);
      EXPECT_EQ(times.switches, all.threads[i].switches);
    }
    EXPECT_EQ(whole.threads[i].waits, all.threads[i].waits);
    EXPECT_EQ(whole.threads[i].longest_wait, all.threads[i].longest_wait);
  }
  for (usize i = 0; i < all.waits.size(); ++i) {
    u64 length = 0;
    for (const Accounting& part : parts) length += part.waits[i].is_known ? part.waits[i].length() : 0;
    EXPECT_EQ(length, all.waits[i].length()) << i;
  }
}

}  // namespace
}  // namespace wperf::waits
