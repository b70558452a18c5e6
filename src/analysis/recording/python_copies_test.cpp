// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_copies.h"

#include <gtest/gtest.h>

#include <thread>

#include "analysis/recording/python_image_host_test.h"
#include "code/python/known_tables_test.h"

namespace wperf::recording {
namespace {

TEST(PythonCopies, BelongToTheirSamples) {
  PythonCopies copies;
  copies.copy({.pid = 1, .tid = 2, .time = 10}, 0);
  copies.copy({.pid = 1, .tid = 3, .time = 10}, 0);
  copies.copy({.pid = 1, .tid = 2, .time = 11}, 0);
  EXPECT_EQ(copies.take(4, 10), nullptr);
  EXPECT_EQ(copies.take(2, 12), nullptr);
  const auto first = copies.take(3, 10);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->owner.tid, 3u);
  EXPECT_EQ(copies.take(3, 10), nullptr) << "only once";
  ASSERT_NE(copies.take(2, 11), nullptr);
  ASSERT_NE(copies.take(2, 10), nullptr);
}

TEST(PythonCopies, OfLateSamplesAreTakenInOrder) {
  PythonCopies copies;
  for (const u64 time : {10, 11, 11, 30}) copies.copy({.pid = 1, .tid = 2, .time = time}, 0);
  copies.copy({.pid = 1, .tid = 3, .time = 12}, 0);
  EXPECT_EQ(copies.take(2, 9, 5), nullptr) << "a sample is never older than its copy";
  const auto time_of_next = [&](u64 time) {
    const auto copy = copies.take(2, time, 5);
    return copy != nullptr ? copy->owner.time : 0;
  };
  EXPECT_EQ(time_of_next(12), 10u);
  EXPECT_EQ(time_of_next(13), 11u);
  EXPECT_EQ(time_of_next(17), 0u) << "too late";
  EXPECT_EQ(time_of_next(34), 30u);
}

TEST(PythonCopies, AreDroppedWithoutTheirSamples) {
  PythonCopies copies;
  copies.copy({.pid = 1, .tid = 2, .time = 10}, 0);
  copies.copy({.pid = 1, .tid = 2, .time = 11}, 0);
  EXPECT_NE(copies.take(2, 11), nullptr);
  copies.copy({.pid = 1, .tid = 2, .time = 12}, 0);
  copies.copy({.pid = 1, .tid = 2, .time = 13}, 0);
  copies.drop_before(13);
  EXPECT_EQ(copies.take(2, 10), nullptr);
  EXPECT_EQ(copies.take(2, 12), nullptr);
  EXPECT_NE(copies.take(2, 13), nullptr);
}

TEST(PythonCopies, TellForHowLongTheThreadStoodStill) {
  PythonCopies copies;
  constexpr u64 kForEver = ~u64{0};
  copies.copy({.pid = 1, .tid = 2, .time = 1}, 1);
  copies.copy({.pid = 1, .tid = 2, .time = 2}, kForEver);
  copies.copy({.pid = 1, .tid = 2, .time = kForEver}, 1);
  EXPECT_FALSE(copies.take(2, 1)->was_still) << "long ago";
  EXPECT_TRUE(copies.take(2, 2)->was_still);
  EXPECT_TRUE(copies.take(2, kForEver)->was_still) << "not older than now";
}

TEST(PythonCopies, AskOnceWhetherAProcessIsOfPython) {
  PythonCopies copies;
  constexpr u32 kPid = 1;  // the first process of the system, if there is one with this number
  EXPECT_FALSE(copies.note(0)) << "no process";
  EXPECT_TRUE(copies.note(kPid));
  EXPECT_FALSE(copies.note(kPid)) << "it is known to be new";
  EXPECT_TRUE(copies.open_new().empty());
  EXPECT_FALSE(copies.note(kPid)) << "it is not of Python";
  copies.copy({.pid = kPid, .tid = kPid, .time = 3}, 0);
  EXPECT_EQ(copies.versions(), 0u);
  const auto copy = copies.take(kPid, 3);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->process, nullptr);
  copies.forget(kPid, 0);
  EXPECT_FALSE(copies.note(kPid)) << "it was asked after that time";
  copies.forget(kPid, ~u64{0});
  EXPECT_TRUE(copies.note(kPid));
}

TEST(PythonCopies, LookAgainWhenAnInterpreterIsMapped) {
  python::InterpreterImage image(python::known_layout(14), python::known_table(14));
  auto its_host = std::make_unique<ImageHost>(image);
  ImageHost& host = *its_host;
  host.is_loaded = false;
  PythonCopies copies(std::move(its_host));
  constexpr u32 kPid = ImageHost::kParent;
  EXPECT_FALSE(copies.look_again(kPid)) << "it has no samples yet";
  EXPECT_TRUE(copies.note(kPid));
  EXPECT_TRUE(copies.open_new().empty());
  host.is_loaded = true;
  EXPECT_FALSE(copies.note(kPid)) << "not for a while";
  EXPECT_TRUE(copies.look_again(kPid));
  EXPECT_EQ(copies.open_new(), std::vector{kPid});
  EXPECT_FALSE(copies.look_again(kPid));
  ASSERT_NE(copies.process_of(kPid), nullptr);
}

TEST(PythonCopies, OfAForkedProcessBeginWithItsFirstSample) {
  python::InterpreterImage image(python::known_layout(14), python::known_table(14));
  auto its_host = std::make_unique<ImageHost>(image);
  its_host->child = 6;
  PythonCopies copies(std::move(its_host));
  EXPECT_TRUE(copies.note(ImageHost::kParent));
  EXPECT_EQ(copies.open_new().size(), 1u);
  copies.copy({.pid = 6, .tid = 6, .time = 1}, 0);
  copies.copy({.pid = 7, .tid = 7, .time = 1}, 0);
  EXPECT_NE(copies.take(6, 1)->process, nullptr);
  EXPECT_EQ(copies.take(7, 1)->process, nullptr) << "not its child";
  EXPECT_FALSE(copies.note(6));
}

TEST(PythonCopies, ComeFromSeveralThreads) {
  constexpr u32 kThreads = 4, kSamples = 2000;
  PythonCopies copies;
  std::vector<std::thread> threads;
  for (u32 thread = 1; thread <= kThreads; ++thread) {
    threads.emplace_back([&copies, thread] {
      for (u32 time = 1; time <= kSamples; ++time) copies.copy({.pid = 1, .tid = thread, .time = time}, 0);
    });
  }
  u32 taken = 0;
  for (u32 time = 1; time <= kSamples; ++time) {
    for (u32 thread = 1; thread <= kThreads; ++thread) {
      std::unique_ptr<PythonCopy> copy;
      while (copy == nullptr) copy = copies.take(thread, time);
      copies.give_back(std::move(copy));
      ++taken;
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kThreads * kSamples);
}

}  // namespace
}  // namespace wperf::recording
