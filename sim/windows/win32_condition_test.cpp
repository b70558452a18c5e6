// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/fake_program.h"

namespace wperf::sim {
namespace {

// Two more threads, which never run; each makes the calls of the test.
class Waiting : public ::testing::Test {
 protected:
  static constexpr u64 kAddress = FakeProgram::kBuffer, kExpected = kAddress + 0x40, kLock = kAddress + 0x80;
  static constexpr u64 kMs = 1'000'000;
  static constexpr u64 kForever = 0xffffffff;

  void SetUp() override {
    for (int i = 0; i < 2; ++i) program.call("CreateThread", {0, 0, 0x1000, 0, 0, 0});
    ids = program.process->thread_ids();
    ASSERT_EQ(ids.size(), 3u);
  }

  u64 call_of(usize thread, std::string_view function, std::initializer_list<u64> arguments) {
    ThreadState& registers = program.process->thread(ids[thread]);
    usize index = 0;
    for (const u64 argument : arguments) registers.x[index++] = argument;
    program.outcome =
        program.process->kernel_call(ids[thread], *find_win32_function(kKernelDll, function), program.now_ns);
    return registers.x[0];
  }
  bool sleeps(usize thread) { return program.process->sleep_until_ns(ids[thread]) > program.now_ns; }
  template <class T>
  void put(u64 address, T value) {
    EXPECT_TRUE(program.process->space().write(address, &value, sizeof value));
  }

  FakeProgram program;
  std::vector<u32> ids;
};

TEST_F(Waiting, an_address_that_changed_is_not_waited_for) {
  put<u32>(kAddress, 5);
  put<u32>(kExpected, 4);
  EXPECT_EQ(call_of(1, "WaitOnAddress", {kAddress, kExpected, 4, kForever}), 1u);
  EXPECT_FALSE(sleeps(1));
  EXPECT_EQ(call_of(1, "WaitOnAddress", {kAddress, kExpected, 3, kForever}), 0u) << "no size";
  EXPECT_EQ(call_of(1, "WaitOnAddress", {FakeProgram::kUnmapped, kExpected, 4, kForever}), 0u);
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

TEST_F(Waiting, who_waits_longest_on_an_address_is_woken_first) {
  for (const usize thread : {1, 2}) call_of(thread, "WaitOnAddress", {kAddress, kExpected, 8, kForever});
  EXPECT_TRUE(sleeps(1));
  EXPECT_TRUE(sleeps(2));
  EXPECT_EQ(program.process->waits_for(ids[1]), WaitsFor::lock);
  call_of(0, "WakeByAddressSingle", {kAddress + 8});
  EXPECT_TRUE(sleeps(1)) << "another address";
  call_of(0, "WakeByAddressSingle", {kAddress});
  EXPECT_FALSE(sleeps(1));
  EXPECT_TRUE(sleeps(2));
  EXPECT_EQ(call_of(1, "WaitOnAddress", {kAddress, kExpected, 8, kForever}), 1u) << "woken, whatever the value is";
  call_of(0, "WakeByAddressAll", {kAddress});
  EXPECT_EQ(call_of(2, "WaitOnAddress", {kAddress, kExpected, 8, kForever}), 1u);
}

TEST_F(Waiting, time_runs_out) {
  call_of(1, "WaitOnAddress", {kAddress, kExpected, 1, 3});
  EXPECT_EQ(program.process->sleep_until_ns(ids[1]), 3 * kMs);
  program.now_ns = 3 * kMs;
  EXPECT_EQ(call_of(1, "WaitOnAddress", {kAddress, kExpected, 1, 3}), 0u);
  EXPECT_EQ(call_of(1, "GetLastError", {}), 1460u);
  call_of(1, "WaitOnAddress", {kAddress, kExpected, 1, 3});
  EXPECT_EQ(program.process->sleep_until_ns(ids[1]), 6 * kMs) << "a new wait";
}

TEST_F(Waiting, a_condition_gives_its_lock_away_and_takes_it_back) {
  call_of(0, "InitializeCriticalSection", {kLock});
  call_of(1, "EnterCriticalSection", {kLock});
  call_of(1, "SleepConditionVariableCS", {kAddress, kLock, kForever});
  EXPECT_TRUE(sleeps(1));
  EXPECT_EQ(call_of(0, "TryEnterCriticalSection", {kLock}), 1u);
  call_of(0, "WakeConditionVariable", {kAddress});
  EXPECT_FALSE(sleeps(1));
  call_of(1, "SleepConditionVariableCS", {kAddress, kLock, kForever});
  EXPECT_TRUE(sleeps(1)) << "for the lock";
  call_of(0, "LeaveCriticalSection", {kLock});
  EXPECT_FALSE(sleeps(1));
  EXPECT_EQ(call_of(1, "SleepConditionVariableCS", {kAddress, kLock, kForever}), 1u);
  EXPECT_EQ(call_of(0, "TryEnterCriticalSection", {kLock}), 0u) << "the waiter has it again";
}

TEST_F(Waiting, a_condition_that_times_out_has_its_lock_nevertheless) {
  call_of(1, "AcquireSRWLockExclusive", {kLock});
  call_of(1, "SleepConditionVariableSRW", {kAddress, kLock, 2, 0});
  EXPECT_EQ(call_of(0, "TryAcquireSRWLockExclusive", {kLock}), 1u);
  program.now_ns = 2 * kMs;
  call_of(1, "SleepConditionVariableSRW", {kAddress, kLock, 2, 0});
  EXPECT_TRUE(sleeps(1)) << "for the lock";
  call_of(0, "WakeConditionVariable", {kAddress});  // too late
  call_of(0, "ReleaseSRWLockExclusive", {kLock});
  EXPECT_EQ(call_of(1, "SleepConditionVariableSRW", {kAddress, kLock, 2, 0}), 0u);
  EXPECT_EQ(call_of(1, "GetLastError", {}), 1460u);
  EXPECT_EQ(call_of(0, "TryAcquireSRWLockShared", {kLock}), 0u);
  call_of(1, "SleepConditionVariableSRW", {kAddress, kLock, 2, 0});
  call_of(2, "WakeAllConditionVariable", {kAddress});
  EXPECT_EQ(call_of(1, "SleepConditionVariableSRW", {kAddress, kLock, 2, 0}), 1u);
  EXPECT_EQ(call_of(1, "SleepConditionVariableCS", {kAddress, kLock + 0x40, 0}), 0u) << "a section nobody holds";
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

}  // namespace
}  // namespace wperf::sim
