// SPDX-License-Identifier: BSD-3-Clause
// Pipes, used by the tests without programs.
#include <gtest/gtest.h>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

class NtPipes : public ::testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments, kStatus = kAt + 0x10, kBuffer = kAt + 0x4000;

  u64 make(std::string_view name, bool overlapped = false, u64 messages = 0) {
    EXPECT_EQ(process.call("NtCreateNamedPipeFile", {kAt, 0, process.named(0x1000, name, 2), kStatus, 0, 2,
                                                     overlapped ? 0u : 0x20u, messages, messages, 0, 1, 4096, 4096, 0}),
              kSuccess);
    return process.get(0);
  }
  u64 open(std::string_view name) {
    const u64 status = process.call("NtOpenFile", {kAt, 0, process.named(0x1000, name), kStatus, 0, 0x20});
    return status == kSuccess ? process.get(0) : status;
  }
  u64 write(u64 handle, std::string_view text, usize thread = 0) {
    process.state.space.write(kBuffer, text.data(), text.size());
    return process.call("NtWriteFile", {handle, 0, 0, 0, kStatus, kBuffer, text.size(), 0, 0}, thread);
  }
  u64 read(u64 handle, u64 size, usize thread = 0, u64 event = 0) {
    return process.call("NtReadFile", {handle, event, 0, 0, kStatus, kBuffer + 0x2000, size, 0, 0}, thread);
  }
  std::string got() {
    std::string text(process.get(0x18), '\0');
    process.state.space.read(kBuffer + 0x2000, text.data(), text.size());
    return text;
  }
  bool goes_on(usize thread) {
    Thread& one = *process.state.threads[thread];
    return one.wait.wake_ns <= process.now_ns && call_again(process.state, one, process.now_ns);
  }
  TestProcess process;
};

TEST_F(NtPipes, CarryBytesBothWaysUntilAnEndCloses) {
  const u64 server = make("\\Device\\NamedPipe\\one");
  EXPECT_EQ(read(server, 10), kPipeListening);
  const u64 client = open("\\??\\PIPE\\One");
  ASSERT_LT(client, 0x1000U);
  EXPECT_EQ(open("\\??\\pipe\\one"), kPipeNotAvailable);
  EXPECT_EQ(open("\\??\\pipe\\other"), kObjectNameNotFound);
  EXPECT_EQ(write(client, "to the server"), kSuccess);
  EXPECT_EQ(write(server, "back"), kSuccess);
  EXPECT_EQ(read(server, 6), kSuccess);
  EXPECT_EQ(got(), "to the");
  EXPECT_EQ(process.call("NtClose", {client}), kSuccess);
  EXPECT_EQ(read(server, 100), kSuccess);
  EXPECT_EQ(got(), " server");
  EXPECT_EQ(read(server, 100), kPipeBroken);
  EXPECT_EQ(write(server, "x"), kPipeClosing);
}

TEST_F(NtPipes, AReaderWaitsForTheWriter) {
  const u64 server = make("\\Device\\NamedPipe\\one"), client = open("\\Device\\NamedPipe\\one");
  process.add_thread();
  EXPECT_EQ(read(server, 10, 1), kNoAnswer);
  EXPECT_FALSE(goes_on(1));
  EXPECT_EQ(write(client, "hello"), kSuccess);
  ASSERT_TRUE(goes_on(1));
  EXPECT_EQ(process.state.threads[1]->registers.x[0], kSuccess);
  EXPECT_EQ(got(), "hello");
  EXPECT_EQ(read(server, 10, 1), kNoAnswer);
  EXPECT_EQ(process.call("NtClose", {client}), kSuccess);
  ASSERT_TRUE(goes_on(1));
  EXPECT_EQ(process.state.threads[1]->registers.x[0], kPipeBroken);
}

TEST_F(NtPipes, AWriterWaitsForRoom) {
  const u64 server = make("\\Device\\NamedPipe\\one"), client = open("\\Device\\NamedPipe\\one");
  process.add_thread();
  EXPECT_EQ(write(client, std::string(5000, 'a'), 1), kNoAnswer);
  EXPECT_EQ(read(server, 8000), kSuccess);
  EXPECT_EQ(got().size(), 4096U);
  ASSERT_TRUE(goes_on(1));
  EXPECT_EQ(process.get(0x18), 5000U);
  EXPECT_EQ(read(server, 8000), kSuccess);
  EXPECT_EQ(got(), std::string(904, 'a'));
}

TEST_F(NtPipes, AnOverlappedReadEndsWhenBytesComeOrItIsCancelled) {
  const u64 server = make("\\Device\\NamedPipe\\one", true), client = open("\\Device\\NamedPipe\\one");
  ASSERT_EQ(process.call("NtCreateEvent", {kAt + 8, 0, 0, 0, 0}), kSuccess);
  const u64 event = process.get(8);
  EXPECT_EQ(read(server, 10, 0, event), kPending);
  EXPECT_FALSE(process.state.handles.at(event)->signalled);
  EXPECT_EQ(process.get<u32>(0x10), kPending);
  process.state.space.write(kBuffer, "late", 4);
  EXPECT_EQ(process.call("NtWriteFile", {client, 0, 0, 0, kAt + 0x30, kBuffer, 4, 0, 0}), kSuccess);
  EXPECT_TRUE(process.state.handles.at(event)->signalled);
  EXPECT_EQ(process.get<u32>(0x10), kSuccess);
  EXPECT_EQ(got(), "late");
  EXPECT_EQ(read(server, 10, 0, event), kPending);
  EXPECT_EQ(process.call("NtCancelIoFileEx", {server, kStatus, kAt + 0x30}), kSuccess);
  EXPECT_EQ(process.get<u32>(0x10), kCancelled);
  EXPECT_EQ(process.call("NtCancelIoFileEx", {server, kStatus, kAt + 0x30}), kNotFound);
}

TEST_F(NtPipes, ARoutineIsCalledAtTheEndOfAnOverlappedRead) {
  constexpr u64 kRoutine = 0x7000, kContext = 0x55;
  const u64 server = make("\\Device\\NamedPipe\\one", true), client = open("\\Device\\NamedPipe\\one");
  process.state.apc_dispatcher = 0x8000;
  EXPECT_EQ(process.call("NtReadFile", {server, 0, kRoutine, kContext, kStatus, kBuffer + 0x2000, 10, 0, 0}), kPending);
  Thread& reader = *process.state.threads[0];
  EXPECT_TRUE(reader.apcs.empty());
  process.add_thread();
  EXPECT_EQ(write(client, "late", 1), kSuccess);
  ASSERT_EQ(reader.apcs.size(), 1U);
  EXPECT_EQ(reader.apcs.front().function, kRoutine);
  EXPECT_EQ(reader.apcs.front().arguments[0], kContext);
  EXPECT_EQ(reader.apcs.front().arguments[1], kStatus);
  EXPECT_EQ(process.call("NtDelayExecution", {1, 0}), kNoAnswer);
  EXPECT_EQ(reader.registers.pc, process.state.apc_dispatcher);
}

TEST_F(NtPipes, AnOverlappedWaitForTheClientEndsWhenItComes) {
  const u64 server = make("\\Device\\NamedPipe\\one", true);
  ASSERT_EQ(process.call("NtCreateEvent", {kAt + 8, 0, 0, 0, 0}), kSuccess);
  const u64 event = process.get(8);
  const auto listen = [&] {
    return process.call("NtFsControlFile", {server, event, 0, 0, kStatus, 0x110008, 0, 0, 0, 0});
  };
  EXPECT_EQ(listen(), kPending);
  EXPECT_FALSE(process.state.handles.at(event)->signalled);
  ASSERT_EQ(
      process.call("NtOpenFile", {kAt, 0, process.named(0x1000, "\\Device\\NamedPipe\\one"), kAt + 0x30, 0, 0x20}),
      kSuccess);
  EXPECT_TRUE(process.state.handles.at(event)->signalled);
  EXPECT_EQ(process.get<u32>(0x10), kSuccess);
  EXPECT_EQ(listen(), kPipeConnected);
}

TEST_F(NtPipes, AnOverlappedWriteHasItsBound) {
  const u64 server = make("\\Device\\NamedPipe\\one", true);
  ASSERT_LT(open("\\Device\\NamedPipe\\one"), 0x1000U);
  u64 status = kSuccess;
  for (u32 i = 0; i < 100 && status == kSuccess; ++i) status = write(server, std::string(0x8000, 'a'));
  EXPECT_EQ(status, kInsufficientResources);
}

TEST_F(NtPipes, MessagesKeepTheirBounds) {
  const u64 server = make("\\??\\pipe\\one", false, 1), client = open("\\??\\pipe\\one");
  const u64 modes[2] = {1, 0};  // the client of a pipe of messages reads bytes at first
  for (const std::string_view text : {"first", "second", "", "last"}) ASSERT_EQ(write(client, text), kSuccess);
  EXPECT_EQ(read(server, 100), kSuccess);
  EXPECT_EQ(got(), "first");
  EXPECT_EQ(read(server, 0), kBufferOverflow);
  EXPECT_EQ(read(server, 2), kBufferOverflow);
  EXPECT_EQ(got(), "se");
  EXPECT_EQ(process.call("NtFsControlFile", {server, 0, 0, 0, kStatus, 0x11400c, 0, 0, kBuffer, 16}), kBufferOverflow);
  EXPECT_EQ(process.get<u32>(0x4004), 8U);
  EXPECT_EQ(process.get<u32>(0x4008), 3U);
  EXPECT_EQ(process.get<u32>(0x400c), 4U);  // the rest of the message
  EXPECT_EQ(read(server, 100), kSuccess);
  EXPECT_EQ(got(), "cond");
  EXPECT_EQ(read(server, 100), kSuccess);
  EXPECT_EQ(got(), "");
  EXPECT_EQ(read(server, 100), kSuccess);
  EXPECT_EQ(got(), "last");
  EXPECT_EQ(write(server, "one"), kSuccess);
  EXPECT_EQ(write(server, "two"), kSuccess);
  EXPECT_EQ(read(client, 4), kSuccess);
  EXPECT_EQ(got(), "onet");
  process.state.space.write(kBuffer, modes, sizeof modes);
  EXPECT_EQ(process.call("NtSetInformationFile", {client, kStatus, kBuffer, 8, 23}), kSuccess);
  EXPECT_EQ(write(server, "three"), kSuccess);
  EXPECT_EQ(read(client, 100), kSuccess);
  EXPECT_EQ(got(), "wo");
}

TEST_F(NtPipes, AReadOfNothingWaitsForAMessage) {
  const u64 server = make("\\??\\pipe\\one", true, 1), client = open("\\??\\pipe\\one");
  EXPECT_EQ(read(server, 0), kPending);
  ASSERT_EQ(write(client, "text"), kSuccess);
  EXPECT_EQ(read(server, 100), kSuccess);  // the message is still there
  EXPECT_EQ(got(), "text");
  EXPECT_EQ(read(server, 100), kPending);
  ASSERT_EQ(process.call("NtClose", {client}), kSuccess);
  EXPECT_EQ(process.get<u32>(0x10), kPipeBroken);
}

TEST_F(NtPipes, AReadOfNothingWaitsForBytes) {
  const u64 server = make("\\??\\pipe\\one", true), client = open("\\??\\pipe\\one");
  ASSERT_EQ(process.call("NtCreateEvent", {kAt + 8, 0, 0, 0, 0}), kSuccess);
  const u64 event = process.get(8);
  EXPECT_EQ(read(server, 0, 0, event), kPending);
  EXPECT_EQ(process.call("NtWriteFile", {client, 0, 0, 0, kAt + 0x30, kBuffer, 4, 0, 0}), kSuccess);
  EXPECT_TRUE(process.state.handles.at(event)->signalled);
  EXPECT_EQ(process.get<u32>(0x10), kSuccess);
  EXPECT_EQ(process.get(0x18), 0U);
  EXPECT_EQ(read(server, 0), kSuccess);
  EXPECT_EQ(read(server, 100), kSuccess);
  EXPECT_EQ(process.get(0x18), 4U) << "the bytes are still there";
}

TEST_F(NtPipes, AClientWaitsUntilAServerIsFree) {
  const u64 server = make("\\??\\pipe\\one"), pipes = open("\\??\\pipe\\");
  ASSERT_LT(pipes, 0x1000U);
  EXPECT_EQ(write(pipes, "x"), kAccessDenied);
  const auto wait_for = [&](std::string_view name, std::int64_t timeout) {
    const std::vector<u16> units = to_utf16(name);
    process.put(0x3000, timeout);
    process.put(0x3008, u64{1} << 32 | units.size() * 2);
    process.state.space.write(kAt + 0x300e, units.data(), units.size() * 2);
    return process.call("NtFsControlFile",
                        {pipes, 0, 0, 0, kStatus, 0x110018, kAt + 0x3000, 14 + units.size() * 2, 0, 0});
  };
  EXPECT_EQ(wait_for("other", -10'000), kObjectNameNotFound);
  EXPECT_EQ(wait_for("ONE", -10'000), kSuccess);
  const u64 client = open("\\??\\pipe\\one");
  EXPECT_EQ(wait_for("one", -20'000), kNoAnswer);  // two milliseconds
  process.now_ns += 1'000'000;
  EXPECT_FALSE(goes_on(0));
  process.now_ns += 1'000'000;
  EXPECT_TRUE(goes_on(0));
  EXPECT_EQ(process.state.threads[0]->registers.x[0], kIoTimeout);
  EXPECT_EQ(wait_for("one", -20'000), kNoAnswer);
  ASSERT_EQ(process.call("NtClose", {client}), kSuccess);
  EXPECT_EQ(process.call("NtFsControlFile", {server, 0, 0, 0, kStatus, 0x110004, 0, 0, 0, 0}), kSuccess);
  process.now_ns += 1'000'000;
  EXPECT_TRUE(goes_on(0));
  EXPECT_EQ(process.state.threads[0]->registers.x[0], kSuccess);
}

TEST_F(NtPipes, AFlushWaitsUntilEverythingIsRead) {
  const u64 server = make("\\??\\pipe\\one"), client = open("\\??\\pipe\\one");
  process.add_thread();
  const auto flush = [&] { return process.call("NtFlushBuffersFile", {client, kAt + 0x30}, 1); };
  EXPECT_EQ(flush(), kSuccess) << "nothing is unread";
  ASSERT_EQ(write(client, "12345"), kSuccess);
  EXPECT_EQ(flush(), kNoAnswer);
  EXPECT_EQ(read(server, 3), kSuccess);
  EXPECT_FALSE(goes_on(1));
  EXPECT_EQ(read(server, 3), kSuccess);
  EXPECT_TRUE(goes_on(1));
  EXPECT_EQ(process.state.threads[1]->registers.x[0], kSuccess);
  ASSERT_EQ(write(client, "6"), kSuccess);
  EXPECT_EQ(flush(), kNoAnswer);
  ASSERT_EQ(process.call("NtClose", {server}), kSuccess);
  EXPECT_TRUE(goes_on(1));
  EXPECT_EQ(process.state.threads[1]->registers.x[0], kPipeBroken);
}

TEST_F(NtPipes, SayTheirRoomAndTheirInstances) {
  constexpr u64 kLocal = 24, kFacts = 0x200, kCreate = 2, kOpenIf = 3;
  const auto create = [&](u64 disposition) {
    return process.call("NtCreateNamedPipeFile", {kAt, 0, process.named(0x1000, "\\??\\pipe\\two", 2), kStatus, 0,
                                                  disposition, 0, 0, 0, 0, 2, 4096, 4096, 0});
  };
  const auto ask = [&](u64 end) {
    EXPECT_EQ(process.call("NtQueryInformationFile", {end, kStatus, kAt + kFacts, 40, kLocal}), kSuccess);
    return process.get<std::array<u32, 10>>(kFacts);
  };
  ASSERT_EQ(create(kCreate), kSuccess);
  const u64 server = process.get(0);
  EXPECT_EQ(ask(server)[2], 2U) << "the most instances";
  EXPECT_EQ(ask(server)[3], 1U);
  EXPECT_EQ(ask(server)[8], 2U) << "it listens";
  EXPECT_EQ(create(kCreate), kAccessDenied) << "there is a first instance";
  EXPECT_EQ(create(kOpenIf), kSuccess);
  EXPECT_EQ(create(kOpenIf), kInstanceNotAvailable);
  EXPECT_EQ(ask(server)[3], 2U);
  const u64 client = open("\\??\\pipe\\two");
  ASSERT_EQ(write(client, "12345"), kSuccess);
  EXPECT_EQ(ask(client)[7], 4091U) << "the room for writes";
  EXPECT_EQ(ask(server)[5], 5U) << "bytes to read";
  EXPECT_EQ(read(server, 100), kSuccess);
  EXPECT_EQ(read(server, 100), kPending);
  EXPECT_EQ(ask(client)[7], 3996U) << "a read that waits takes room, too";
  EXPECT_EQ(ask(client)[8], 3U);
  ASSERT_EQ(process.call("NtClose", {server}), kSuccess);
  EXPECT_EQ(ask(client)[8], 4U);
}

TEST_F(NtPipes, KnowTheProcessesAtTheirEnds) {
  constexpr u64 kAttribute = 0x110030;
  const u64 server = make("\\??\\pipe\\ends");
  const auto ask = [&](u64 end, std::string_view name) {
    process.state.space.write(kBuffer, name.data(), name.size());
    return process.call("NtFsControlFile",
                        {end, 0, 0, 0, kStatus, kAttribute, kBuffer, name.size() + 1, kBuffer + 0x100, 4});
  };
  EXPECT_EQ(ask(server, "ClientProcessId"), kNotFound);
  const u64 client = open("\\??\\pipe\\ends");
  for (const char* const name : {"ClientProcessId", "ServerProcessId"}) {
    ASSERT_EQ(ask(client, name), kSuccess);
    u32 id = 0;
    process.state.space.read(kBuffer + 0x100, &id, sizeof id);
    EXPECT_EQ(id, 1000U);
  }
  EXPECT_EQ(ask(client, "ClientComputerName"), kNotFound);
  const auto impersonate = [&](u64 end) {
    return process.call("NtFsControlFile", {end, 0, 0, 0, kStatus, 0x11001c, 0, 0, 0, 0});
  };
  EXPECT_EQ(impersonate(server), kSuccess);
  EXPECT_NE(impersonate(client), kSuccess);
}

TEST_F(NtPipes, AThreadIsToldToStopWaiting) {
  const u64 server = make("\\??\\pipe\\stop"), client = open("\\??\\pipe\\stop");
  process.add_thread();
  const u64 thread = process.state.handles.add(process.state.threads[1]->object);
  const auto stop = [&] { return process.call("NtCancelSynchronousIoFile", {thread, 0, kStatus}); };
  EXPECT_EQ(stop(), kNotFound) << "it does not wait";
  EXPECT_EQ(read(server, 4, 1), kNoAnswer);
  ASSERT_EQ(stop(), kSuccess);
  EXPECT_EQ(process.state.threads[1]->registers.x[0], kCancelled);
  EXPECT_EQ(process.state.threads[1]->wait.kind, Wait::Kind::none);
  write(client, "text");
  EXPECT_EQ(process.state.threads[1]->registers.x[0], kCancelled) << "the read has ended";
  EXPECT_EQ(process.call("NtCancelSynchronousIoFile", {server, 0, kStatus}), kInvalidHandle);
}

}  // namespace
}  // namespace wperf::sim::nt
