// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/waits/played_machine_test.h"

namespace wperf::waits {
namespace {

struct Walked {
  Accounting accounting;
  ThreadHistories histories;

  Walked(std::span<const stacks::Switch> events, u64 end) {
    accounting = account(events, {}, 0, end, [&](const Stretch& one) { histories.take(one); });
  }
  u32 number(u32 thread) const {
    for (u32 i = 0; i < accounting.threads.size(); ++i) {
      if (accounting.threads[i].thread == thread) return i;
    }
    ADD_FAILURE() << thread;
    return 0;
  }
  std::vector<PathStep> path(u32 thread, u64 begin, u64 end) const {
    return critical_path(accounting, histories, number(thread), begin, end);
  }
  u32 thread(const PathStep& step) const { return accounting.threads[step.thread].thread; }
};

stacks::Switch makes(u64 time, u32 maker, u32 thread) {
  return {.time = time, .leaves = maker, .comes = thread, .core = 0, .kind = stacks::Kind::created};
}

struct Expected {
  u64 begin, end;
  u32 thread;
  StepState state;
};
void expect_path(const Walked& walked, const std::vector<PathStep>& path, const std::vector<Expected>& wanted) {
  ASSERT_EQ(path.size(), wanted.size());
  for (usize i = 0; i < path.size(); ++i) {
    EXPECT_EQ(path[i].begin, wanted[i].begin) << i;
    EXPECT_EQ(path[i].end, wanted[i].end) << i;
    EXPECT_EQ(walked.thread(path[i]), wanted[i].thread) << i;
    EXPECT_EQ(path[i].state, wanted[i].state) << i;
  }
}

// 7 waits for 8, which sleeps, so 7 really waited for the sleep.
TEST(CriticalPath, GoesThroughThoseWhoEndedTheWaits) {
  const stacks::Switch events[] = {
      change(10, 0, 7, stacks::Leaving::waits, 8),
      change(20, 0, 8, stacks::Leaving::waits, stacks::kIdleThread),
      wakes(60, 0, stacks::kNobody, 8),
      change(65, 0, stacks::kIdleThread, stacks::Leaving::preempted, 8),
      wakes(80, 0, 8, 7),
      change(85, 0, 8, stacks::Leaving::waits, 7),
  };
  const Walked walked(events, 100);
  const std::vector<PathStep> path = walked.path(7, 0, 100);
  expect_path(walked, path,
              {{0, 10, 7, StepState::running},
               {10, 20, 8, StepState::running},
               {20, 60, 8, StepState::interrupted},
               {60, 65, 8, StepState::ready},
               {65, 80, 8, StepState::running},
               {80, 85, 7, StepState::ready},
               {85, 100, 7, StepState::running}});
  EXPECT_EQ(path[4].woke, 0u) << "the wait of 7";
}

TEST(CriticalPath, AnIntervalMayEndInAWait) {
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::waits, 8), wakes(80, 0, 8, 7),
                                   change(85, 0, 8, stacks::Leaving::waits, 7)};
  const Walked walked(events, 100);
  expect_path(walked, walked.path(7, 5, 50), {{5, 10, 7, StepState::running}, {10, 50, 8, StepState::running}});
}

TEST(CriticalPath, BeforeAThreadWasThereItsMakerCounts) {
  // 7 creates 8 and waits; 8 creates 9 and ends; 9 ends the wait.
  const stacks::Switch events[] = {
      makes(5, 7, 8),     change(10, 0, 7, stacks::Leaving::waits, 8),
      makes(30, 8, 9),    change(40, 0, 8, stacks::Leaving::ended, 9),
      wakes(70, 0, 9, 7), change(75, 0, 9, stacks::Leaving::ended, 7),
  };
  const Walked walked(events, 100);
  expect_path(walked, walked.path(7, 0, 100),
              {{0, 10, 7, StepState::running},
               {10, 30, 8, StepState::running},
               {30, 40, 9, StepState::ready},
               {40, 70, 9, StepState::running},
               {70, 75, 7, StepState::ready},
               {75, 100, 7, StepState::running}});
}

TEST(CriticalPath, UnrecordedTimeIsUnknown) {
  // The wake-up of 7 is missing, and the state of 8 before it came to the core is unknown.
  const stacks::Switch events[] = {
      change(10, 0, 7, stacks::Leaving::waits, 9), change(50, 0, 9, stacks::Leaving::waits, 7),
      change(60, 0, 7, stacks::Leaving::waits, 8), wakes(80, 0, 8, 7), change(85, 0, 8, stacks::Leaving::ended, 7)};
  const Walked walked(events, 90);
  expect_path(walked, walked.path(7, 0, 90),
              {{0, 10, 7, StepState::running},
               {10, 50, 7, StepState::unknown},
               {50, 60, 7, StepState::running},
               {60, 80, 8, StepState::running},
               {80, 85, 7, StepState::ready},
               {85, 90, 7, StepState::running}});
  expect_path(walked, walked.path(8, 50, 90),
              {{50, 60, 8, StepState::unknown}, {60, 85, 8, StepState::running}, {85, 90, 8, StepState::unknown}});
}

TEST(CriticalPath, ThreadsThatSeemToWakeEachOtherComeToAnEnd) {
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::waits, stacks::kIdleThread),
                                   change(10, 1, 8, stacks::Leaving::waits, stacks::kIdleThread), wakes(50, 0, 8, 7),
                                   wakes(50, 0, 7, 8)};
  const Walked walked(events, 90);
  const std::vector<PathStep> path = walked.path(7, 0, 90);
  u64 sum = 0;
  for (const PathStep& step : path) sum += step.end - step.begin;
  EXPECT_EQ(sum, 90u);
}

void check_step(const PlayedMachine& played, const Walked& walked, const PathStep& step, u32 seed) {
  const auto& lived = played.stretches.at(walked.thread(step));
  const auto in = std::find_if(lived.begin(), lived.end(), [&](const auto& one) { return step.begin < one.end; });
  ASSERT_NE(in, lived.end());
  EXPECT_LE(in->begin, step.begin) << seed;
  EXPECT_GE(in->end, step.end) << seed;
  const bool waits = step.state == StepState::interrupted || step.state == StepState::unknown;
  EXPECT_EQ(in->is, step.state == StepState::running ? PlayedMachine::Is::running
                    : waits                          ? PlayedMachine::Is::waiting
                                                     : PlayedMachine::Is::ready)
      << seed;
  if (step.woke == ~u32{0}) return;
  EXPECT_EQ(walked.accounting.waits[step.woke].woken, step.end) << seed;
  EXPECT_EQ(walked.accounting.waits[step.woke].waker, walked.thread(step)) << seed;
}

TEST(CriticalPath, FillsEachIntervalOfAPlayedMachineExactly) {
  for (u32 seed = 1; seed <= 40; ++seed) {
    const PlayedMachine played(seed);
    const Walked walked(played.events, played.now);
    const u32 thread = walked.accounting.threads[seed % walked.accounting.threads.size()].thread;
    for (const auto& [begin, end] : {std::pair{u64{0}, played.now}, {played.now / 3, played.now / 2}}) {
      const std::vector<PathStep> path = walked.path(thread, begin, end);
      u64 at = begin, own = 0;
      for (const PathStep& step : path) {
        EXPECT_EQ(step.begin, at) << seed;
        EXPECT_LT(step.begin, step.end) << seed;
        at = step.end;
        const bool ran = step.state == StepState::running || step.state == StepState::ready;
        if (walked.thread(step) == thread && ran) own += step.end - step.begin;
        check_step(played, walked, step, seed);
      }
      EXPECT_EQ(at, end) << seed;
      // While the thread itself did not wait, it is on the path.
      u64 truly = 0;
      for (const auto& one : played.stretches.at(thread)) {
        const u64 from = std::max(one.begin, begin), to = std::min(one.end, end);
        if (one.is != PlayedMachine::Is::waiting && from < to) truly += to - from;
      }
      EXPECT_EQ(own, truly) << seed;
    }
  }
}

}  // namespace
}  // namespace wperf::waits
