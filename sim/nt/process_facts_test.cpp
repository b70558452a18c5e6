// SPDX-License-Identifier: BSD-3-Clause
// CPU times, priorities, and the list of processes.
#include <gtest/gtest.h>

#include <array>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

// A machine that only implements the clock.
class Clock final : public ProgramHost {
 public:
  CpuTimes cpu_times(u32 pid, u32 thread) const override {
    if (pid != 1000) return {};
    return thread == 0 ? CpuTimes{7000, 500, 70} : CpuTimes{3000, 200, 30};
  }
  std::vector<CoreCycles> core_cycles(u64 now_ns) const override { return {{now_ns, 400, 200}, {now_ns + 1, 100, 0}}; }
  u32 start(const ChildProcessRequest& /*request*/, u64 /*now_ns*/) override { return 0; }
  void end(u32 /*pid*/, u32 /*exit_code*/) override {}
};

class NtProcessFacts : public ::testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments, kSizeAt = 0x100;

  void SetUp() override {
    process.state.system->host = &clock;
    process.state.modules.push_back({"tool.exe", {}, 0x10000, 0x1000, 0});
    process.add_thread();
  }
  Clock clock;
  TestProcess process;
};

TEST_F(NtProcessFacts, OnlyNtdllEndsAProgramForAnExceptionThatNothingHandled) {
  constexpr u64 kNtdll = 0x20000, kKernelBase = 0x30000;
  State& state = process.state;
  state.modules.push_back({"ntdll.dll", {}, kNtdll, 0x1000, 0});
  state.modules.push_back({"kernelbase.dll", {}, kKernelBase, 0x1000, 0});
  const auto end_from = [&](u64 caller) {
    state.threads.front()->registers.x[30] = caller + 0x10;
    (void)process.call("NtTerminateProcess", {kThisProcess, 0xe0000001});
    return state.is_unhandled;
  };
  EXPECT_TRUE(end_from(kNtdll));
  EXPECT_FALSE(end_from(kKernelBase)) << "TerminateProcess";
  ASSERT_EQ(process.call("NtTerminateProcess", {0, 0xe0000001}), kSuccess);
  EXPECT_FALSE(end_from(kNtdll)) << "ExitProcess";
}

TEST_F(NtProcessFacts, TimesAreThoseThatThreadsRan) {
  constexpr u32 kOfThread = 1, kOfProcess = 4;
  process.now_ns = 1'000'000;
  ASSERT_EQ(process.call("NtQueryInformationThread", {kThisThread, kOfThread, kAt, 32, 0}), kSuccess);
  EXPECT_EQ((process.get<std::array<u64, 4>>(0)), (std::array<u64, 4>{kBootTime, 0, 2, 30}));
  ASSERT_EQ(process.call("NtQueryInformationProcess", {kThisProcess, kOfProcess, kAt, 32, 0}), kSuccess);
  EXPECT_EQ((process.get<std::array<u64, 4>>(0)), (std::array<u64, 4>{kBootTime, 0, 5, 70}));
}

TEST_F(NtProcessFacts, APriorityIsKept) {
  constexpr u32 kBasic = 0, kBasePriority = 3;
  process.put(0x80, std::int32_t{-2});
  ASSERT_EQ(process.call("NtSetInformationThread", {kThisThread, kBasePriority, kAt + 0x80, 4}), kSuccess);
  ASSERT_EQ(process.call("NtQueryInformationThread", {kThisThread, kBasic, kAt, 48, 0}), kSuccess);
  EXPECT_EQ(process.get<std::int32_t>(40), -2) << "what GetThreadPriority() returns";
  EXPECT_EQ(process.get<std::int32_t>(44), -2);
  process.put(0x80, std::int32_t{16});
  EXPECT_EQ(process.call("NtSetInformationThread", {kThisThread, kBasePriority, kAt + 0x80, 4}), kInvalidParameter);
}

TEST_F(NtProcessFacts, ABoostIsSwitchedOff) {
  constexpr u32 kOfThread = 14, kOfProcess = 22;
  const auto of_thread = [&] {
    EXPECT_EQ(process.call("NtQueryInformationThread", {kThisThread, kOfThread, kAt, 4, 0}), kSuccess);
    return process.get<u32>(0);
  };
  EXPECT_EQ(of_thread(), 0U);
  process.put(0x80, u32{1});
  ASSERT_EQ(process.call("NtSetInformationThread", {kThisThread, kOfThread, kAt + 0x80, 4}), kSuccess);
  EXPECT_EQ(of_thread(), 1U);
  process.put(0x80, u32{0});
  ASSERT_EQ(process.call("NtSetInformationProcess", {kThisProcess, kOfProcess, kAt + 0x80, 4}), kSuccess);
  EXPECT_EQ(of_thread(), 0U);
  process.put(0x80, u32{1});
  ASSERT_EQ(process.call("NtSetInformationProcess", {kThisProcess, kOfProcess, kAt + 0x80, 4}), kSuccess);
  ASSERT_EQ(process.call("NtQueryInformationProcess", {kThisProcess, kOfProcess, kAt, 4, 0}), kSuccess);
  EXPECT_EQ(process.get<u32>(0), 1U);
}

TEST_F(NtProcessFacts, MemoryAndTransfersAreCounted) {
  constexpr u32 kIo = 2, kMemory = 3;
  const auto ask = [&] {
    EXPECT_EQ(process.call("NtQueryInformationProcess", {kThisProcess, kMemory, kAt, 96, 0}), kSuccess);
    return process.get<std::array<u64, 12>>(0);
  };
  const std::array<u64, 12> before = ask();
  process.put(0x200, std::array<u64, 2>{0, 64 << 10});
  ASSERT_EQ(process.call("NtAllocateVirtualMemory", {kThisProcess, kAt + 0x200, 0, kAt + 0x208, 0x3000, 4}), kSuccess);
  const std::array<u64, 12> after = ask();
  EXPECT_EQ(after[2] - before[2], 16U) << "page faults";
  EXPECT_EQ(after[11] - before[11], 64U << 10) << "private bytes";
  EXPECT_EQ(process.call("NtQueryInformationProcess", {kThisProcess, kMemory, kAt, 88, 0}), kSuccess);
  const u64 file = process.state.handles.add(std::make_shared<File>(File::Type::null, nullptr));
  ASSERT_EQ(process.call("NtWriteFile", {file, 0, 0, 0, kAt + 0x10, kAt, 100, 0, 0}), kSuccess);
  ASSERT_EQ(process.call("NtWriteFile", {file, 0, 0, 0, kAt + 0x10, kAt, 20, 0, 0}), kSuccess);
  EXPECT_EQ(process.call("NtReadFile", {file, 0, 0, 0, kAt + 0x10, kAt, 20, 0, 0}), kEndOfFile);
  ASSERT_EQ(process.call("NtQueryInformationProcess", {kThisProcess, kIo, kAt, 48, 0}), kSuccess);
  EXPECT_EQ((process.get<std::array<u64, 6>>(0)), (std::array<u64, 6>{1, 2, 0, 0, 120, 0}));
}

TEST_F(NtProcessFacts, ProcessesAreListedWithTheirThreads) {
  constexpr u32 kProcesses = 5, kLength = 0x100 + 2 * 0x50 + 24;
  constexpr u64 kList = 0x1000;
  EXPECT_EQ(process.call("NtQuerySystemInformation", {kProcesses, kAt + kList, 0x80, kAt + kSizeAt}),
            kInfoLengthMismatch);
  EXPECT_EQ(process.get<u32>(kSizeAt), kLength);
  ASSERT_EQ(process.call("NtQuerySystemInformation", {kProcesses, kAt + kList, kLength, kAt + kSizeAt}), kSuccess);
  EXPECT_EQ(process.get<u32>(kList), 0U) << "no further process";
  EXPECT_EQ(process.get<u32>(kList + 4), 2U) << "threads";
  EXPECT_EQ(process.get<u64>(kList + 0x28), 70U) << "user time";
  EXPECT_EQ(process.get<u64>(kList + 0x50), 1000U);
  EXPECT_EQ(process.get<u16>(kList + 0x38), 16U) << "the name's bytes";
  const u64 name_at = process.get<u64>(kList + 0x40);
  std::array<u16, 8> name{};
  ASSERT_TRUE(process.state.space.read(name_at, name.data(), sizeof name));
  EXPECT_EQ(to_utf8(name), "tool.exe");
  EXPECT_EQ(process.get<u64>(kList + 0x100 + 0x50 + 0x30), process.state.threads[1]->id);
}

TEST_F(NtProcessFacts, CyclesAreThoseOfTheCores) {
  constexpr u32 kOfThread = 23, kOfProcess = 38, kIdle = 83;
  ASSERT_EQ(process.call("NtQueryInformationThread", {kThisThread, kOfThread, kAt, 16, 0}), kSuccess);
  EXPECT_EQ(process.get(0), 30U);
  ASSERT_EQ(process.call("NtQueryInformationProcess", {kThisProcess, kOfProcess, kAt, 16, 0}), kSuccess);
  EXPECT_EQ(process.get(0), 70U);
  process.now_ns = 5;
  EXPECT_EQ(process.call("NtQuerySystemInformation", {kIdle, kAt, 8, kAt + kSizeAt}), kInfoLengthMismatch);
  EXPECT_EQ(process.get<u32>(kSizeAt), 32U);
  ASSERT_EQ(process.call("NtQuerySystemInformation", {kIdle, kAt, 32, kAt + kSizeAt}), kSuccess);
  EXPECT_EQ(process.get(8), 6U);
  EXPECT_EQ(process.get(16), 0U) << "a core that the machine does not have";
}

TEST_F(NtProcessFacts, ProcessorsHaveTheirTimes) {
  constexpr u32 kProcessorTimes = 8, kGroupAffinity = 30;
  process.state.system->processors = {{"neoverse-n1", 0, 100}, {"neoverse-n1", 0, 100}};
  process.now_ns = 10'000;
  ASSERT_EQ(process.call("NtQuerySystemInformation", {kProcessorTimes, kAt, 96, kAt + kSizeAt}), kSuccess);
  EXPECT_EQ((process.get<std::array<u64, 3>>(0)), (std::array<u64, 3>{1000, 1020, 40}));
  ASSERT_EQ(process.call("NtQueryInformationThread", {kThisThread, kGroupAffinity, kAt, 16, 0}), kSuccess);
  EXPECT_EQ((process.get<std::array<u64, 2>>(0)), (std::array<u64, 2>{process.state.threads[0]->affinity, 0}));
}

TEST_F(NtProcessFacts, AMemberOfAJobAsksForItWithoutAHandle) {
  constexpr u32 kProcessList = 3;
  const auto ask = [&] { return process.call("NtQueryInformationJobObject", {0, kProcessList, kAt + 0x200, 64, 0}); };
  EXPECT_EQ(ask(), kAccessDenied);
  ASSERT_EQ(process.call("NtCreateJobObject", {kAt, 0, 0}), kSuccess);
  ASSERT_EQ(process.call("NtAssignProcessToJobObject", {process.get(0), kThisProcess}), kSuccess);
  ASSERT_EQ(ask(), kSuccess);
  EXPECT_EQ(process.get(0x208), 1000U);
}

}  // namespace
}  // namespace wperf::sim::nt
