// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/thread_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/waits/played_machine_test.h"

namespace wperf::waits {
namespace {

const ThreadTimes& of(const Accounting& accounting, u32 thread) {
  const auto found = std::find_if(accounting.threads.begin(), accounting.threads.end(),
                                  [&](const ThreadTimes& one) { return one.thread == thread; });
  EXPECT_NE(found, accounting.threads.end()) << thread;
  return *found;
}

TEST(ThreadTimes, AWaitEndsWhenSomebodyMakesItReady) {
  const stacks::Switch events[] = {change(100, 0, 7, stacks::Leaving::waits, 8), wakes(150, 0, 8, 7),
                                   change(180, 0, 8, stacks::Leaving::preempted, 7)};
  const Accounting done = account(events, {}, 0, 200);
  const ThreadTimes& waiter = of(done, 7);
  EXPECT_EQ(waiter.running, 100u + 20u) << "from the beginning, for nobody was there before it";
  EXPECT_EQ(waiter.waiting, 50u);
  EXPECT_EQ(waiter.ready, 30u);
  EXPECT_EQ(waiter.preempted, 0u);
  EXPECT_EQ(waiter.wall(), 200u);
  ASSERT_EQ(done.waits.size(), 1u);
  EXPECT_EQ(done.waits[0].waker, 8u);
  EXPECT_EQ(done.waits[0].length(), 50u);
  EXPECT_EQ(done.waits[0].latency(), 30u);
  const ThreadTimes& other = of(done, 8);
  EXPECT_EQ(other.running, 80u);
  EXPECT_EQ(other.preempted, 20u) << "until the end";
}

TEST(ThreadTimes, PreemptionIsNotAWait) {
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::preempted, 8),
                                   change(40, 0, 8, stacks::Leaving::ended, 7)};
  const Accounting done = account(events, {}, 0, 50);
  EXPECT_TRUE(done.waits.empty());
  EXPECT_EQ(of(done, 7).preempted, 30u);
  EXPECT_TRUE(of(done, 8).has_ended);
  EXPECT_EQ(of(done, 8).wall(), 30u);
}

TEST(ThreadTimes, AWaitThatBeganBeforeAndOneThatLastsOn) {
  const stacks::Switch events[] = {wakes(30, 1, stacks::kNobody, 7),
                                   change(35, 0, stacks::kIdleThread, stacks::Leaving::preempted, 7),
                                   change(60, 0, 7, stacks::Leaving::waits, stacks::kIdleThread)};
  const Accounting done = account(events, {}, 0, 100);
  EXPECT_EQ(of(done, 7).waiting, 30u + 40u);
  EXPECT_EQ(of(done, 7).ready, 5u);
  ASSERT_EQ(done.waits.size(), 2u);
  EXPECT_FALSE(done.waits[0].has_begin);
  EXPECT_EQ(done.waits[0].waker, stacks::kNobody) << "an interrupt";
  EXPECT_FALSE(done.waits[1].has_end);
  EXPECT_EQ(done.waits[1].length(), 40u);
  EXPECT_EQ(of(done, 7).longest_wait, 40u);
  EXPECT_EQ(done.cores[0].busy, 25u);
  EXPECT_EQ(done.cores[0].idle, 35u + 40u) << "the first switch says that nothing ran until then";
}

TEST(ThreadTimes, ACoresTimeHoldsTheTimeOfWhatRanOnIt) {
  const stacks::Switch events[] = {change(90, 0, 7, stacks::Leaving::waits, 8),
                                   change(95, 1, stacks::kNobody, stacks::Leaving::unknown, 9)};
  const Accounting done = account(events, {}, 0, 100);
  EXPECT_EQ(of(done, 7).running, 90u);
  EXPECT_EQ(done.cores[0].busy, 100u) << "7 since the beginning, and then 8";
  EXPECT_EQ(done.cores[1].busy, 5u) << "nobody knows what ran before";
}

TEST(ThreadTimes, WithoutAWakeUpNobodyKnowsWhoEndedAWait) {
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::waits, 8),
                                   change(30, 0, 8, stacks::Leaving::waits, 7)};
  const Accounting done = account(events, {}, 0, 30);
  EXPECT_EQ(done.waits[0].waker, stacks::kUnknown);
  EXPECT_EQ(done.waits[0].length(), 20u);
}

TEST(ThreadTimes, ContradictoryTimeIsUnattributed) {
  // Thread 7 waits, and later leaves a core, without a record that it came to this core.
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::waits, 8),
                                   change(50, 1, 7, stacks::Leaving::waits, 9)};
  const Accounting done = account(events, {}, 0, 100);
  EXPECT_EQ(done.contradictions, 1u);
  EXPECT_EQ(of(done, 7).contradictions, 1u);
  EXPECT_EQ(of(done, 7).contradicted, 40u);
  EXPECT_EQ(of(done, 9).contradictions, 0u);
  EXPECT_FALSE(done.waits[0].is_last);
  EXPECT_TRUE(done.waits[1].is_last);
  EXPECT_EQ(of(done, 7).unknown, 40u);
  EXPECT_EQ(of(done, 7).running, 10u);
  EXPECT_EQ(of(done, 7).waiting, 50u) << "the second wait";
  EXPECT_EQ(of(done, 7).waits, 1u);
  EXPECT_FALSE(done.waits[0].is_known);
}

// The switch with which 7 left the core was lost. 7 no longer runs, but it is unknown when it stopped.
TEST(ThreadTimes, ThreadWithoutFinalSwitchStops) {
  const stacks::Switch events[] = {change(10, 0, stacks::kIdleThread, stacks::Leaving::preempted, 7),
                                   change(30, 0, 8, stacks::Leaving::waits, 9),
                                   change(40, 0, 9, stacks::Leaving::waits, stacks::kIdleThread)};
  const Accounting done = account(events, {}, 0, 100);
  EXPECT_EQ(of(done, 7).running, 0u);
  EXPECT_EQ(of(done, 7).unknown, 20u + 70u) << "nor where it is since";
  EXPECT_EQ(of(done, 7).wall(), 90u);
  EXPECT_EQ(of(done, 9).running, 10u);
  EXPECT_EQ(done.contradictions, 1u);
  EXPECT_EQ(done.cores[0].busy, 10u) << "from 10 to 30 nobody knows";
  EXPECT_EQ(done.cores[0].unknown, 20u);
  EXPECT_EQ(done.cores[0].idle, 70u);
}

TEST(ThreadTimes, ANumberThatIsUsedAgain) {
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::ended, 8),
                                   {.time = 20, .leaves = 8, .comes = 7, .core = 0, .kind = stacks::Kind::created},
                                   change(30, 0, 8, stacks::Leaving::waits, 7)};
  const Accounting done = account(events, {}, 0, 40);
  EXPECT_EQ(done.contradictions, 0u);
  EXPECT_EQ(of(done, 7).running, 10u + 10u);
  EXPECT_EQ(of(done, 7).ready, 10u);
  EXPECT_EQ(of(done, 7).wall(), 30u);
}

TEST(ThreadTimes, AThreadGoesOnUnderAnotherNumber) {
  const stacks::Switch events[] = {change(10, 0, stacks::kIdleThread, stacks::Leaving::preempted, 8),
                                   {.time = 30, .leaves = 8, .comes = 7, .kind = stacks::Kind::renamed},
                                   change(60, 0, 7, stacks::Leaving::waits, stacks::kIdleThread)};
  const Accounting done = account(events, {}, 0, 100);
  EXPECT_EQ(done.contradictions, 0u);
  EXPECT_TRUE(of(done, 8).has_ended);
  EXPECT_EQ(of(done, 8).wall(), 20u);
  EXPECT_EQ(of(done, 7).running, 30u);
  EXPECT_EQ(of(done, 7).waiting, 40u);
  EXPECT_EQ(of(done, 7).wall(), 70u);
  EXPECT_EQ(done.switches, 2u);
  EXPECT_EQ(done.cores[0].busy, 50u);
}

// Threads that were recorded without their cores: 7 and 8 run at the same time, and all records of a period are lost.
TEST(ThreadTimes, WithoutCoresAGapStopsAllThatRan) {
  const u16 core = stacks::kUnknownCore;
  const stacks::Switch events[] = {
      {.time = 5, .leaves = 6, .comes = 7, .kind = stacks::Kind::created},
      change(10, core, stacks::kNobody, stacks::Leaving::unknown, 7),
      change(20, core, stacks::kNobody, stacks::Leaving::unknown, 8),
      change(25, core, 8, stacks::Leaving::waits, stacks::kNobody),
      change(70, core, stacks::kNobody, stacks::Leaving::unknown, 8),
      change(80, core, 7, stacks::Leaving::waits, stacks::kNobody),
  };
  const stacks::Unrecorded gap[] = {{.begin = 30, .end = 50}};
  const Accounting done = account(events, gap, 0, 100);
  EXPECT_EQ(done.contradictions, 0u);
  EXPECT_TRUE(done.cores.empty());
  EXPECT_EQ(of(done, 7).running, 20u + 30u);
  EXPECT_EQ(of(done, 7).unknown, 20u);
  EXPECT_EQ(of(done, 7).waiting, 20u);
  EXPECT_EQ(of(done, 8).unknown, 20u);
  EXPECT_EQ(of(done, 8).waiting, 5u + 20u);
  EXPECT_EQ(of(done, 8).ready, 0u) << "that a thread was made shows no wake-ups";
}

TEST(ThreadTimes, EqualsAScriptedMachineToTheNanosecond) {
  for (u32 seed = 1; seed <= 40; ++seed) {
    PlayedMachine played(seed);
    const u64 now = played.now;
    const std::vector<stacks::Switch>& events = played.events;
    std::map<u32, PlayedMachine::Truth>& truth = played.truth;
    const Accounting done = account(events, {}, 0, now);
    EXPECT_EQ(done.contradictions, 0u) << seed;
    for (const ThreadTimes& times : done.threads) {
      EXPECT_EQ(times.running, truth[times.thread].running) << seed;
      EXPECT_EQ(times.ready, truth[times.thread].ready) << seed;
      EXPECT_EQ(times.waiting, truth[times.thread].waiting) << seed;
      EXPECT_EQ(times.wall(), now) << seed;
    }
    std::map<u32, u64> waited;
    for (const Wait& wait : done.waits) waited[done.threads[wait.thread].thread] += wait.length();
    for (const ThreadTimes& times : done.threads) EXPECT_EQ(waited[times.thread], times.waiting) << seed;
    u64 stretches = 0;
    account(events, {}, 0, now, [&](const Stretch& one) { stretches += one.end - one.begin; });
    EXPECT_EQ(stretches, now * done.threads.size()) << seed;
  }
}

// A core's last state does not apply after its last record.
TEST(ThreadTimes, BehindTheLastRecordOfACoreNothingIsKnown) {
  const stacks::Switch events[] = {change(10, 0, stacks::kIdleThread, stacks::Leaving::preempted, 7),
                                   change(12, 1, stacks::kIdleThread, stacks::Leaving::preempted, 8),
                                   change(90, 1, 8, stacks::Leaving::waits, 9)};
  const stacks::Unrecorded cut[] = {{.begin = 20, .end = ~u64{0}, .core = 0}};
  const Accounting done = account(events, cut, 0, 100);
  EXPECT_EQ(of(done, 7).running, 10u);
  EXPECT_EQ(of(done, 7).unknown, 80u);
  EXPECT_EQ(of(done, 8).running, 78u) << "its core was recorded";
  EXPECT_EQ(of(done, 8).waiting, 0u) << "the other core may run it";
  EXPECT_EQ(of(done, 8).unknown, 10u);
  EXPECT_EQ(done.cores[0].busy, 10u);
  EXPECT_EQ(done.cores[0].idle, 10u);
  EXPECT_EQ(done.cores[0].unknown, 80u);
  EXPECT_EQ(done.cores[1].unknown, 0u);
}

// In the gap, a thread on core 1 may have woken 7, and 7 may have run and begun another wait.
TEST(ThreadTimes, AWaitThatAGapCutsIsTwo) {
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::waits, 8), wakes(80, 0, 8, 7),
                                   change(90, 0, 8, stacks::Leaving::waits, 7)};
  const stacks::Unrecorded gap[] = {{.begin = 30, .end = 50, .core = 1}};
  const Accounting done = account(events, gap, 0, 100);
  EXPECT_EQ(of(done, 7).waiting, 20u + 30u);
  EXPECT_EQ(of(done, 7).unknown, 20u);
  EXPECT_EQ(of(done, 7).ready, 10u);
  ASSERT_EQ(done.waits.size(), 3u);
  EXPECT_EQ(done.waits[0].length(), 20u);
  EXPECT_TRUE(done.waits[0].is_cut);
  EXPECT_FALSE(done.waits[0].has_end);
  EXPECT_EQ(done.waits[1].begin, 50u);
  EXPECT_EQ(done.waits[1].length(), 30u);
  EXPECT_TRUE(done.waits[1].has_end);
  EXPECT_FALSE(done.waits[1].has_begin);
  EXPECT_EQ(done.waits[1].waker, 8u);
  EXPECT_EQ(of(done, 7).longest_wait, 30u);
  EXPECT_EQ(of(done, 8).running, 80u) << "on a core that was recorded";
}

// 7 must have been woken in the gap, so it would be wrong to say that it waited until 70.
TEST(ThreadTimes, WhatAGapHidesIsUnknown) {
  const stacks::Switch events[] = {change(10, 0, 7, stacks::Leaving::waits, 8),
                                   change(20, 0, 8, stacks::Leaving::preempted, 9),
                                   change(70, 0, 9, stacks::Leaving::waits, 7), wakes(80, 0, 7, 8)};
  const stacks::Unrecorded gap[] = {{.begin = 30, .end = 50}};
  const Accounting done = account(events, gap, 0, 100);
  EXPECT_EQ(of(done, 7).waiting, 20u);
  EXPECT_EQ(of(done, 7).ready, 20u) << "since cores are recorded again";
  EXPECT_EQ(of(done, 7).unknown, 20u);
  EXPECT_FALSE(done.waits[0].has_end);
  EXPECT_EQ(of(done, 8).waiting, 30u) << "who is woken at 80 has waited since 50";
  EXPECT_EQ(of(done, 8).preempted, 10u);
  EXPECT_EQ(of(done, 9).running, 10u + 20u) << "until the gap, and as its core says behind it";
  EXPECT_EQ(done.cores[0].busy, 80u);
  EXPECT_EQ(done.cores[0].unknown, 20u);
}

// The events of one core in some period are removed. All results about the remaining events must be correct.
TEST(ThreadTimes, NothingIsSaidThatTheScriptedMachineDidNotDo) {
  for (u32 seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    PlayedMachine played(seed);
    const u64 begin = played.now / 10 * (seed % 9), end = begin + played.now / (1 + seed % 7);
    const u16 core = static_cast<u16>(seed % 3);
    std::vector<stacks::Switch> events;
    std::copy_if(played.events.begin(), played.events.end(), std::back_inserter(events),
                 [&](const stacks::Switch& one) { return one.core != core || one.time <= begin || one.time >= end; });
    const stacks::Unrecorded gap[] = {{.begin = begin, .end = end, .core = core}};
    std::map<u32, u64> sums;
    u64 unknown = 0;
    const Accounting all = account(events, gap, 0, played.now);
    account(events, gap, 0, played.now, [&](const Stretch& one) {
      const u32 thread = all.threads[one.thread].thread;
      sums[thread] += one.end - one.begin;
      if (one.state == State::unknown) {
        unknown += one.end - one.begin;
        return;
      }
      for (const PlayedMachine::Stretch& truth : played.stretches.at(thread)) {
        if (truth.begin >= one.end || truth.end <= one.begin || truth.begin == truth.end) continue;
        EXPECT_EQ(static_cast<int>(truth.is) + 1, static_cast<int>(one.state)) << thread << " at " << one.begin;
      }
    });
    for (const ThreadTimes& times : all.threads) EXPECT_EQ(sums[times.thread], times.wall());
    for (const CoreTimes& times : all.cores) EXPECT_EQ(times.busy + times.idle + times.unknown, played.now);
    EXPECT_EQ(all.contradictions, 0u);
    for (const Wait& wait : all.waits) {
      if (!wait.has_begin || !wait.has_end || !wait.is_known) continue;
      const auto& truths = played.stretches.at(all.threads[wait.thread].thread);
      EXPECT_TRUE(std::ranges::any_of(truths,
                                      [&](const PlayedMachine::Stretch& truth) {
                                        return truth.is == PlayedMachine::Is::waiting && truth.begin == wait.begin &&
                                               truth.end == wait.woken;
                                      }))
          << "not one wait: from " << wait.begin;
    }
    if (events.size() != played.events.size()) {
      EXPECT_NE(unknown, 0u);
    }
  }
}

}  // namespace
}  // namespace wperf::waits
