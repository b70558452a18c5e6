// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and Ctrl-Break that a program sends.
#include <gtest/gtest.h>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kInterrupt = 0, kBreak = 1;

// Notes the processes that a program ends.
class EndingHost final : public ProgramHost {
 public:
  CpuTimes cpu_times(u32 /*pid*/, u32 /*thread*/) const override { return {}; }
  u32 start(const ChildProcessRequest& /*request*/, u64 /*now_ns*/) override { return 0; }
  void end(u32 pid, u32 exit_code) override { ended.emplace_back(pid, exit_code); }
  std::vector<std::pair<u32, u32>> ended;
};

class NtConsoleEvents : public ::testing::Test {
 protected:
  static constexpr u64 kPeb = kAt + 0x4000, kParameters = kAt + 0x5000;

  void SetUp() override {
    for (TestProcess* const one : {&first, &second}) {
      one->state.system = first.state.system;
      one->state.console = one->state.group = 1000;
      one->state.console_control = 0x7ff0'0000'1000;
      one->state.is_starting = false;
      one->state.peb = kPeb;
      one->put(0x4000 + 0x20, kParameters);
    }
    second.state.process_id = second.state.process_object->id = 2000;
    first.state.system->processes = {&first.state, &second.state};
  }
  void TearDown() override { first.state.system->processes.clear(); }
  u64 send(u32 event, u32 group) {
    first.put(0x100, std::array<u32, 2>{event, group});
    return first.call("NtDeviceIoControlFile", {0, 0, 0, 0, kAt + 0x10, 0x50004c, kAt + 0x100, 8, 0, 0});
  }
  u64 handlers(const TestProcess& process) { return process.state.threads.size() - 1; }
  TestProcess first, second;
};

TEST_F(NtConsoleEvents, ReachAllProcessesOfTheConsole) {
  ASSERT_EQ(send(kInterrupt, 0), kSuccess);
  EXPECT_EQ(handlers(first), 1U);
  EXPECT_EQ(handlers(second), 1U);
  second.state.console = 2000;
  ASSERT_EQ(send(kBreak, 0), kSuccess);
  EXPECT_EQ(handlers(first), 2U);
  EXPECT_EQ(handlers(second), 1U);
}

TEST_F(NtConsoleEvents, OnlyCtrlBreakReachesOneGroup) {
  second.state.group = 2000;
  ASSERT_EQ(send(kInterrupt, 2000), kSuccess);
  EXPECT_EQ(handlers(second), 0U);
  ASSERT_EQ(send(kBreak, 2000), kSuccess);
  EXPECT_EQ(handlers(first), 0U);
  EXPECT_EQ(handlers(second), 1U);
  EXPECT_EQ(send(kBreak, 3000), kInvalidParameter) << "there is no such group";
  EXPECT_EQ(send(2, 0), kInvalidParameter);
}

TEST_F(NtConsoleEvents, CtrlBreakReachesProcessesThatIgnoreCtrlC) {
  constexpr u64 kFlagsAt = 0x5018;
  second.put(kFlagsAt, u32{1});
  ASSERT_EQ(send(kBreak, 0), kSuccess);
  EXPECT_EQ(second.get<u32>(kFlagsAt), 0U) << "kernelbase calls no handlers otherwise";
  end_thread(second.state, *second.state.threads.back(), 0, 5);
  EXPECT_EQ(second.get<u32>(kFlagsAt), 1U);
  ASSERT_EQ(send(kInterrupt, 0), kSuccess);
  EXPECT_EQ(second.get<u32>(kFlagsAt), 1U);
}

TEST_F(NtConsoleEvents, EndAProcessThatHasNoHandlersYet) {
  EndingHost host;
  first.state.system->host = &host;
  second.state.is_starting = true;
  second.put(0x5018, u32{1});
  ASSERT_EQ(send(kInterrupt, 0), kSuccess);
  EXPECT_TRUE(host.ended.empty()) << "it ignores Ctrl-C";
  ASSERT_EQ(send(kBreak, 0), kSuccess);
  EXPECT_EQ(host.ended, (std::vector<std::pair<u32, u32>>{{2000, 0xc000013a}}));
}

TEST_F(NtConsoleEvents, StreamsOfTheConsoleHaveNames) {
  EXPECT_EQ(console_stream("\\??\\conin$"), File::Type::input);
  EXPECT_EQ(console_stream("\\Device\\ConDrv\\CurrentOut"), File::Type::output);
  EXPECT_EQ(console_stream("\\??\\C:\\work\\a.txt"), std::nullopt);
  const u64 name = first.named(0x1000, "\\??\\CONOUT$");
  EXPECT_EQ(first.call("NtOpenFile", {kAt, 0xc0000000, name, kAt + 0x10, 3, 0x20}), kObjectPathNotFound)
      << "its streams are not a terminal";
}

}  // namespace
}  // namespace wperf::sim::nt
