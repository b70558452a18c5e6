// SPDX-License-Identifier: BSD-3-Clause
// Tables made from kept sums must equal tables made without them, for any choice of threads.
#include "analysis/waits/wait_sums.h"

#include <gtest/gtest.h>

#include "analysis/waits/played_machine_test.h"
#include "analysis/waits/wait_report_builder.h"

namespace wperf::waits {
namespace {

// A PlayedMachine in which each switch and wake-up has a sample in one of four functions.
struct PlayedRecording {
  explicit PlayedRecording(u32 seed) : played(seed) {
    stacks::StackProfile& profile = recorded.profile;
    profile.modules.push_back({.name = "prog", .path = {}, .reason = {}});
    profile.nodes.push_back({});
    for (const char* const name : {"lock_it", "read_it", "futex_wait", "sleep_it"}) {
      profile.functions.push_back({.name = name, .module = 0, .is_known = true});
      const auto number = static_cast<u32>(profile.functions.size() - 1);
      profile.places.push_back({.function = number});
      profile.nodes.push_back({.parent = 0, .place = number});
      profile.samples.push_back({.node = number + 1, .count = 1, .period = 1});
    }
    switches.switches = played.events;
    for (usize i = 0; i < switches.switches.size(); ++i) {
      switches.switches[i].sample = static_cast<u32>(i);
      recorded.row_of_sample.push_back(static_cast<u32>((i * 7 + seed) % profile.samples.size()));
    }
    switches.samples = switches.switches.size();
    switches.end = played.now;
    switches.has_stacks = switches.has_wakeups = true;
    for (u32 thread = 1; thread <= played.threads; ++thread)
      switches.threads[thread] = {.process = thread % 2 + 1, .name = "thread"};
    accounting = account(switches.switches, {}, 0, played.now);
  }

  PlayedMachine played;
  recording::RecordedSwitches switches;
  recording::RecordedSamples recorded;
  Accounting accounting;
};

std::vector<std::string> text_of(const WaitReport& report) {
  std::vector<std::string> out;
  const auto add = [&](const auto&... parts) { out.push_back((... + (testing::PrintToString(parts) + ' '))); };
  for (const ThreadRow& row : report.threads) add(row.thread, row.times.waiting, row.by_class);
  for (const FunctionRow& row : report.functions) {
    add(row.function, name_of(row.wait), row.count, row.total, row.median, row.most_of_99_percent, row.longest,
        row.waker);
  }
  for (const WakerRow& row : report.wakers) {
    add(row.waiter, row.waker, row.function, row.waker_function, row.count, row.waited, row.latency.value_or(0));
  }
  for (const StarvedRow& row : report.starved) add(row.ready, row.ran, row.time, row.times);
  add(report.left_out.count, report.left_out.time, report.cores.size());
  if (!report.path.has_value()) return out;
  for (const PathSum& sum : report.path->sums) {
    add(sum.thread, name_of(sum.state), sum.function, sum.count, sum.total);
  }
  for (const PathRow& row : report.path->steps) add(row.from, row.length, row.thread, row.function, row.ended_by);
  return out;
}

TEST(WaitSums, AnswersDoNotDependOnWhatIsKept) {
  for (u32 seed = 0; seed < 20; ++seed) {
    const PlayedRecording one(seed);
    WaitNames names(one.switches, one.recorded, one.accounting);
    const WaitLocks locks;
    const std::vector<bool> all(one.accounting.threads.size(), true);
    const WaitSums sums = sum_up_waits({one.accounting, one.switches, all}, {}, names, locks);
    const ThreadHistories histories = histories_of(one.accounting, one.switches);
    const WaitRecording alone{one.accounting, one.switches};
    const WaitRecording kept{one.accounting, one.switches, &sums, &histories};
    std::vector<WaitSelection> selections(6);
    selections[1].threads = {1, 3};
    selections[2].processes = {2};
    selections[3].processes = {1};
    selections[3].min_ns = 800;
    selections[4].threads = {2};
    selections[4].critical_path = selections[5].critical_path = true;
    selections[5].min_ns = 500;
    for (const WaitSelection& selection : selections) {
      const auto expected = text_of(build_wait_report(alone, names, locks, selection));
      EXPECT_EQ(text_of(build_wait_report(kept, names, locks, selection)), expected) << seed;
      EXPECT_GT(expected.size(), 3u);
    }
  }
}

TEST(WaitSums, ThePathCanBeSummedUpWithoutItsSteps) {
  const PlayedRecording one(1);
  WaitNames names(one.switches, one.recorded, one.accounting);
  const WaitRecording recording{one.accounting, one.switches};
  WaitSelection selection;
  selection.critical_path = true;
  const WaitReport with_steps = build_wait_report(recording, names, {}, selection);
  selection.lists_steps = false;
  const WaitReport without = build_wait_report(recording, names, {}, selection);
  ASSERT_TRUE(with_steps.path.has_value() && without.path.has_value());
  EXPECT_FALSE(with_steps.path->steps.empty());
  EXPECT_TRUE(without.path->steps.empty());
  ASSERT_EQ(with_steps.path->sums.size(), without.path->sums.size());
  u64 total = 0, of_steps = 0;
  for (const PathSum& sum : without.path->sums) total += sum.total;
  for (const PathRow& row : with_steps.path->steps) of_steps += row.length;
  EXPECT_EQ(total, of_steps);
  EXPECT_EQ(total, without.path->length);
}

}  // namespace
}  // namespace wperf::waits
