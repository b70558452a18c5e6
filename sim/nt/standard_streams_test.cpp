// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kOutputHandle = 4;

// A program whose standard streams are this one descriptor.
std::unique_ptr<TestProcess> program_with(int stream) {
  auto process = std::make_unique<TestProcess>();
  process->state.streams = std::make_shared<StandardStreams>(std::array<int, 3>{stream, ::dup(stream), ::dup(stream)});
  Call call(process->state, *process->state.threads[0], "test", 0);
  EXPECT_EQ(call.give_handle(kAt, std::make_shared<File>(File::Type::output, nullptr)), kSuccess);
  EXPECT_EQ(process->get(0), kOutputHandle);
  return process;
}

u64 write_100(TestProcess& process) {
  return process.call("NtWriteFile", {kOutputHandle, 0, 0, 0, kAt + 0x10, kAt + 0x4000, 100, 0, 0});
}

class NtOutput : public testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }  // as in wperf
};

TEST_F(NtOutput, AFullDiskFailsTheWrite) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  const auto process = program_with(full);
  EXPECT_EQ(write_100(*process), kDiskFull);
  EXPECT_EQ(process->get<u32>(0x10), kDiskFull);
  EXPECT_EQ(process->get(0x18), 0U);
}

TEST_F(NtOutput, APipeWithoutReaderFailsTheWrite) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const auto process = program_with(ends[1]);
  EXPECT_EQ(write_100(*process), kSuccess);
  ::close(ends[0]);
  EXPECT_EQ(write_100(*process), kPipeClosing);
}

TEST_F(NtOutput, WhatHadRoomIsCounted) {
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const StandardStreams streams({ends[1], ::dup(ends[1]), ::dup(ends[1])});
  const std::vector<char> bytes(1 << 20);
  const StandardStreams::Written written = streams.write(StandardStreams::kOutput, bytes);
  EXPECT_GT(written.bytes, 4096U);
  EXPECT_LT(written.bytes, bytes.size());
  EXPECT_EQ(written.error, 0);
  ::close(ends[0]);
  EXPECT_EQ(streams.write(StandardStreams::kOutput, bytes).error, EPIPE);
}

class ConsoleMode : public testing::Test {
 protected:
  static constexpr u64 kInputHandle = 8;

  void SetUp() override {
    terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(::grantpt(terminal), 0);
    ASSERT_EQ(::unlockpt(terminal), 0);
    its = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
    ASSERT_GE(its, 0);
    usual = settings();
    process = program_with(::dup(its));
    Call call(process->state, *process->state.threads[0], "test", 0);
    ASSERT_EQ(call.give_handle(kAt, std::make_shared<File>(File::Type::input, nullptr)), kSuccess);
    ASSERT_EQ(process->get(0), kInputHandle);
  }
  void TearDown() override {
    ::close(its);
    ::close(terminal);
  }
  termios settings() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(its, &now), 0);
    return now;
  }
  bool has(tcflag_t flag) const { return (settings().c_lflag & flag) != 0; }
  u64 control(u32 code, u64 in_size, u64 out_size) {
    return process->call("NtDeviceIoControlFile",
                         {kInputHandle, 0, 0, 0, kAt + 0x10, code, kAt + 0x2000, in_size, kAt + 0x4000, out_size});
  }
  void set_mode(u32 mode) {
    process->put(0x2000, mode);
    ASSERT_EQ(control(0x508004, 4, 0), kSuccess);
    ASSERT_EQ(control(0x504000, 0, 4), kSuccess);
    EXPECT_EQ(process->get<u32>(0x4000), mode);
  }
  std::string read() {
    EXPECT_EQ(control(0x504028, 0, 200), kSuccess);
    std::string text;
    for (u64 at = 0; at < process->get(0x18); at += 2) text += static_cast<char>(process->get<u16>(0x4000 + at));
    return text;
  }
  void type(std::string_view keys) { ASSERT_EQ(::write(terminal, keys.data(), keys.size()), ssize_t(keys.size())); }

  int terminal = -1, its = -1;
  termios usual{};
  std::unique_ptr<TestProcess> process;
};

TEST_F(ConsoleMode, SingleKeysArriveWithoutEnter) {
  set_mode(1);
  EXPECT_FALSE(has(ICANON));
  EXPECT_FALSE(has(ECHO));
  EXPECT_TRUE(has(ISIG)) << "Ctrl-C keeps its effect";
  type("a\x7f\r");
  EXPECT_EQ(read(), "a\b\r");
  set_mode(0x1f7);
  type("b\r");
  EXPECT_EQ(read(), "b\r\n");
}

TEST_F(ConsoleMode, ALineCanBeReadWithoutEcho) {
  set_mode(3);
  EXPECT_TRUE(has(ICANON));
  EXPECT_FALSE(has(ECHO));
  type("secret\r");
  EXPECT_EQ(read(), "secret\r\n");
}

TEST_F(ConsoleMode, TheTerminalIsRestoredAtTheEnd) {
  set_mode(0);
  process.reset();
  EXPECT_EQ(settings().c_lflag, usual.c_lflag);
  EXPECT_EQ(settings().c_iflag, usual.c_iflag);
}

TEST_F(ConsoleMode, ATerminalThatTheShellHasTakenBackIsLeftAlone) {
  set_mode(0);
  termios of_shell = usual;
  of_shell.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHOE);
  ASSERT_EQ(::tcsetattr(its, TCSANOW, &of_shell), 0);
  process.reset();
  EXPECT_EQ(settings().c_lflag, of_shell.c_lflag);
}

}  // namespace
}  // namespace wperf::sim::nt
