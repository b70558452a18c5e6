// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_names.h"

#include <gtest/gtest.h>

namespace wperf::waits {
namespace {

TEST(FirstThread, IsThatOfTheProgram) {
  Accounting accounting;
  accounting.threads = {{.thread = 6}, {.thread = 5}, {.thread = 7}};
  recording::RecordedSwitches switches;
  switches.threads = {
      {5, {.process = 5, .name = "child"}}, {6, {.process = 7, .name = "prog"}}, {7, {.process = 7, .name = "prog"}}};
  EXPECT_EQ(first_thread(accounting, switches, {true, true, true}), 1u) << "the first thread of some process";
  switches.program = 7;
  EXPECT_EQ(first_thread(accounting, switches, {true, true, true}), 2u);
  EXPECT_EQ(first_thread(accounting, switches, {true, true, false}), 1u);
  EXPECT_EQ(first_thread(accounting, switches, {true, false, false}), 0u);
  EXPECT_EQ(first_thread(accounting, switches, {false, false, false}), 3u);
}

TEST(ThreadTasks, ATaskHasTheNameThatSwitchesShow) {
  recording::RecordedSwitches switches;
  switches.threads = {
      {7, {.process = 7, .name = "prog"}}, {8, {.process = 7, .name = "worker"}}, {9, {.process = 9, .name = {}}}};
  recording::RecordedSamples recorded;
  stacks::StackProfile& profile = recorded.profile;
  profile.names = {"wperf", "prog", "idle"};
  profile.tasks = {{7, 7, 0}, {7, 7, 1}, {7, 8, 1}, {9, 9, 2}};  // the record of the name "worker" was lost
  const WaitNames names(switches, recorded);
  ThreadTasks task_of(names, profile);
  EXPECT_EQ(task_of(7), 1u) << "its last name";
  EXPECT_EQ(task_of(9), 3u) << "no switch shows a name";
  const u32 worker = task_of(8);
  EXPECT_EQ(worker, 4u);
  EXPECT_EQ(task_of(8), worker);
  EXPECT_EQ(profile.names[profile.tasks[worker].name], "worker");
  EXPECT_EQ(profile.tasks[worker].tid, 8u);
}

}  // namespace
}  // namespace wperf::waits
