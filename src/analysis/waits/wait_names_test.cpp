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

// On Windows, threads and processes have different numbers.
TEST(FirstThread, IsNotTheRecorders) {
  Accounting accounting;
  accounting.threads = {{.thread = 11}, {.thread = 21}, {.thread = 31}};
  recording::RecordedSwitches switches;
  switches.has_windows_reasons = true;
  switches.threads = {{11, {.process = 10, .name = "wperf.exe"}},
                      {21, {.process = 20, .name = "other.exe"}},
                      {31, {.process = 30, .name = "prog.exe"}}};
  EXPECT_EQ(first_thread(accounting, switches, {true, true, true}), 1u);
  EXPECT_EQ(first_thread(accounting, switches, {true, false, false}), 0u) << "nothing else was chosen";
  switches.program = 30;
  EXPECT_EQ(first_thread(accounting, switches, {true, true, true}), 2u);
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

// Waits of threads of process 7, each with its own stack; the outermost function is first.
struct WaitsForLocks {
  WaitsForLocks() {
    stacks::StackProfile& profile = recorded.profile;
    for (const char* const name : {"[kernel]", "libc.so.6", "python3.14"})
      profile.modules.push_back({.name = name, .path = {}, .reason = {}});
    profile.nodes.push_back({});
    switches.threads = {{7, {.process = 7, .name = "prog"}}, {8, {.process = 7, .name = "prog"}}};
    switches.threads[9] = {.process = 9, .name = "other"};
    switches.has_stacks = switches.has_arguments = true;
    accounting.threads = {{.thread = 7}, {.thread = 8}, {.thread = 9}};
  }
  // Adds a wait. An empty name stands for a function without a name.
  void add(u32 thread, u64 address, std::initializer_list<std::string_view> of_program) {
    stacks::StackProfile& profile = recorded.profile;
    u32 node = 0;
    const auto call = [&](std::string_view name, u32 module) {
      profile.functions.push_back(
          {.name = std::string(name), .module = module, .is_known = !name.empty(), .is_kernel = module == 0});
      const u32 function = static_cast<u32>(profile.functions.size() - 1);
      profile.places.push_back({.function = function});
      profile.nodes.push_back({.parent = node, .place = function});
      node = static_cast<u32>(profile.nodes.size() - 1);
    };
    for (const std::string_view name : of_program) call(name, 2);
    call("pthread_cond_timedwait", 1);
    call("futex_wait", 0);
    const u32 sample = static_cast<u32>(profile.samples.size());
    profile.samples.push_back({.node = node, .count = 1, .period = 1});
    recorded.row_of_sample.push_back(sample);
    if (address != 0) switches.arguments.push_back({sample, address});
    accounting.waits.push_back({.thread = thread, .sample = sample});
  }
  std::vector<WaitClass> classes() {
    WaitNames names(switches, recorded, accounting);
    std::vector<WaitClass> out;
    for (const Wait& wait : accounting.waits) {
      out.push_back(names.class_of(wait));
      EXPECT_EQ(names.place_of(wait).wait, out.back());
    }
    return out;
  }

  recording::RecordedSwitches switches;
  recording::RecordedSamples recorded;
  Accounting accounting;
};

// A kernel function ended a wait of thread 7. Did the thread get what it waited for?
bool has_end_after(std::initializer_list<std::string_view> wakes, std::string_view waits_in, bool is_last = true) {
  WaitsForLocks all;
  all.add(7, 0, {waits_in});
  all.recorded.row_of_sample.push_back(1);
  stacks::StackProfile& profile = all.recorded.profile;
  u32 node = 0;
  for (const std::string_view name : wakes) {
    profile.functions.push_back({.name = std::string(name), .module = 0, .is_known = true, .is_kernel = true});
    profile.places.push_back({.function = static_cast<u32>(profile.functions.size() - 1)});
    profile.nodes.push_back({.parent = node, .place = static_cast<u32>(profile.places.size() - 1)});
    node = static_cast<u32>(profile.nodes.size() - 1);
  }
  profile.samples.push_back({.node = node, .count = 1, .period = 1});
  Wait& wait = all.accounting.waits.front();
  wait.wake_sample = 1;
  wait.waker = 9;
  wait.has_end = true;
  wait.is_last = is_last;
  WaitNames names(all.switches, all.recorded, all.accounting);
  EXPECT_EQ(names.text_of(names.ender_of(wait)), names.has_end(wait) ? "other (9)" : "not ended");
  return names.has_end(wait);
}

TEST(WaitNames, AWaitInWhichASignalKilledTheThreadDidNotEnd) {
  EXPECT_FALSE(has_end_after({"__x64_sys_kill", "complete_signal", "try_to_wake_up"}, "work"));
  EXPECT_FALSE(has_end_after({"do_exit_group", "zap_other_threads", "try_to_wake_up"}, "work"));
  EXPECT_TRUE(has_end_after({"__x64_sys_kill", "complete_signal"}, "work", false)) << "it goes on";
  EXPECT_TRUE(has_end_after({"futex_wake", "try_to_wake_up"}, "work"));
  EXPECT_TRUE(has_end_after({"do_exit", "do_notify_parent", "complete_signal"}, "work")) << "the child's end";
}

TEST(WaitNames, TheEndOfAWaitThatAGapCutsIsNotRecorded) {
  WaitsForLocks all;
  all.add(7, 0, {"work"});
  Wait& wait = all.accounting.waits.front();
  wait.is_cut = true;
  WaitNames names(all.switches, all.recorded, all.accounting);
  EXPECT_EQ(names.text_of(names.ender_of(wait)), "not recorded");
}

TEST(WaitNames, ALockThatIsTheGilInOtherWaitsIsTheGil) {
  WaitsForLocks all;
  constexpr u64 kGil = 0x1000, kLock = 0x2000;
  all.add(0, kGil, {"main", ""});
  all.add(1, kGil, {"take_gil"});
  all.add(1, kLock, {"main", ""});
  all.add(0, 0, {"main", ""});
  all.add(2, kGil, {"main", ""});
  using enum WaitClass;
  EXPECT_EQ(all.classes(), (std::vector{gil, gil, lock, lock, lock})) << "not that of another process";
  all.accounting.waits[1].is_known = false;
  EXPECT_EQ(all.classes(), (std::vector{lock, gil, lock, lock, lock}));
}

// A wait on Windows of thread 7, which thread 8 ends.
WaitClass class_of_windows_wait(std::string_view waits_in, std::string_view waker_in) {
  recording::RecordedSamples recorded;
  recording::RecordedSwitches switches;
  switches.has_stacks = switches.has_windows_reasons = true;
  stacks::StackProfile& profile = recorded.profile;
  profile.modules.push_back({.name = "ntdll.dll", .path = {}, .reason = {}});
  profile.nodes.push_back({});
  for (const std::string_view name : {waits_in, waker_in}) {
    const u32 number = static_cast<u32>(profile.functions.size());
    profile.functions.push_back({.name = std::string(name), .module = 0, .is_known = true});
    profile.places.push_back({.function = number});
    profile.nodes.push_back({.parent = 0, .place = number});
    profile.samples.push_back({.node = number + 1, .count = 1, .period = 1});
    recorded.row_of_sample.push_back(number);
  }
  WaitNames names(switches, recorded);
  const Wait wait{.thread = 0, .waker = 8, .sample = 0, .wake_sample = 1, .has_end = true};
  EXPECT_EQ(names.place_of(wait).wait, names.class_of(wait));
  return names.class_of(wait);
}

TEST(WaitNames, TheEndOfAThreadOrProcessOfWindowsIsNoLock) {
  EXPECT_EQ(class_of_windows_wait("NtWaitForMultipleObjects", "NtTerminateThread"), WaitClass::thread_end);
  EXPECT_EQ(class_of_windows_wait("NtWaitForSingleObject", "NtTerminateProcess"), WaitClass::process_end);
  EXPECT_EQ(class_of_windows_wait("NtWaitForSingleObject", "NtSetEvent"), WaitClass::lock);
  EXPECT_EQ(class_of_windows_wait("NtWaitForAlertByThreadId", "NtTerminateThread"), WaitClass::lock);
}

}  // namespace
}  // namespace wperf::waits
