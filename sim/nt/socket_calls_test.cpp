// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "sim/nt/socket_controls.h"
#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

class NtSockets : public testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments;
  static constexpr u64 kStatus = 0x10, kInput = 0x2000, kOutput = 0x4000, kData = 0x5000, kPieces = 0x6000;

  u64 opened(u64 options = 0) {
    EXPECT_EQ(process.call("NtOpenFile",
                           {kAt, 0, process.named(0x1000, "\\Device\\Afd\\Endpoint"), kAt + kStatus, 0, options}),
              kSuccess);
    return process.get(0);
  }
  u64 made(u32 type = Socket::kStream) {
    const u64 socket = opened();
    process.put(kInput, std::array<u32, 4>{Endpoint::kV4, type, 0, 0});
    EXPECT_EQ(control(socket, control::kMake, 16), kSuccess);
    return socket;
  }
  u64 control(u64 socket, u32 code, u64 input = 0, u64 output = 0, u64 status = kStatus) {
    return process.call("NtDeviceIoControlFile",
                        {socket, event, 0, context, kAt + status, code, kAt + kInput, input, kAt + kOutput, output});
  }
  // The address comes after `before` bytes.
  u64 with_address(u64 socket, u32 code, u64 before, const Endpoint& to) {
    const std::vector<u8> bytes = to.bytes();
    process.put(kInput, std::array<u32, 2>{code == control::kConnect ? 16U : 0U, 0});
    process.state.space.write(kAt + kInput + before, bytes.data(), bytes.size());
    return control(socket, code, before + bytes.size(), 28);
  }
  u64 listening(u16 port) {
    const u64 socket = made();
    EXPECT_EQ(with_address(socket, control::kBind, 4, Endpoint::loopback(Endpoint::kV4, port)), kSuccess);
    process.put(kInput, std::array<u32, 3>{0, 5, 0});
    EXPECT_EQ(control(socket, control::kListen, 12), kSuccess);
    return socket;
  }
  u64 connect(u64 socket, u16 port) {
    return with_address(socket, control::kConnect, 8, Endpoint::loopback(Endpoint::kV4, port));
  }
  u64 send(u64 socket, std::string_view text, bool overlapped = false) {
    process.state.space.write(kAt + kData, text.data(), text.size());
    process.put(kPieces, std::array<u64, 2>{text.size(), kAt + kData});
    process.put(kInput, std::array<u64, 4>{0, 0, u64{1} << 32 | (overlapped ? 1 : 0), kAt + kPieces});
    return control(socket, control::kSendMessage, 32);
  }
  u64 receive(u64 socket, u64 size, u64 status = kStatus) {
    process.put(kPieces, std::array<u64, 2>{size, kAt + kOutput});
    process.put(kInput, std::array<u64, 6>{0, 0, 0, 0, u64{1} << 32, kAt + kPieces});
    return control(socket, control::kReceiveMessage, 48, 0, status);
  }
  std::string output(u64 size) {
    std::string text(size, '\0');
    process.state.space.read(kAt + kOutput, text.data(), size);
    return text;
  }
  u64 status(u64 at = kStatus) { return process.get<u32>(at); }
  u64 information(u64 at = kStatus) { return process.get(at + 8); }
  u64 poll_for(u64 device, u64 socket, u32 states, std::int64_t timeout) {
    struct {
      std::int64_t timeout;
      u32 count = 1, exclusive = 0;
      u64 socket;
      u32 states, status = 0;
    } wanted{.timeout = timeout, .socket = socket, .states = states};
    process.put(kInput, wanted);
    return control(device, control::kPoll, 32, 32, 0x30);
  }
  // Two connected sockets. The first one made the connection.
  std::pair<u64, u64> pair() {
    const u64 listener = listening(80), client = made();
    EXPECT_EQ(connect(client, 80), kSuccess);
    EXPECT_EQ(control(listener, control::kAccept, 0, 4), kSuccess);
    return {client, process.get<u32>(kOutput)};
  }

  TestProcess process;
  u64 event = 0, context = 0;
};

TEST_F(NtSockets, ReachNothingOutsideTheMachine) {
  const u64 socket = made();
  EXPECT_EQ(with_address(socket, control::kConnect, 8, {.family = Endpoint::kV4, .port = 80, .host = {10, 0, 0, 1}}),
            kNetworkUnreachable);
  EXPECT_EQ(connect(socket, 80), kConnectionRefused);
  EXPECT_EQ(process.call("NtWriteFile", {socket, 0, 0, 0, kAt + kStatus, kAt + kData, 4, 0}), kInvalidConnection);
  EXPECT_EQ(process.call("NtReadFile", {socket, 0, 0, 0, kAt + kStatus, kAt + kData, 4, 0}), kInvalidConnection);
  EXPECT_EQ(process.call("NtClose", {socket}), kSuccess);
  EXPECT_EQ(process.call("NtOpenFile", {kAt, 0, process.named(0x1000, "\\Device\\Afdx"), kAt + kStatus, 0, 0x20}),
            kObjectPathNotFound);
}

TEST_F(NtSockets, UnknownKindsAndSocketsThatWereNotMadeAreRefused) {
  const u64 socket = opened();
  EXPECT_EQ(control(socket, control::kListen, 12), kInvalidParameter);
  EXPECT_EQ(process.call("NtReadFile", {socket, 0, 0, 0, kAt + kStatus, kAt + kData, 4, 0}), kInvalidConnection);
  process.put(kInput, std::array<u32, 4>{1, Socket::kStream, 0, 0});
  EXPECT_EQ(control(socket, control::kMake, 16), kProtocolNotSupported);
  process.put(kInput, std::array<u32, 4>{Endpoint::kV4, Socket::kStream, 0, 0});
  EXPECT_EQ(control(socket, control::kMake, 8), kInvalidParameter);
  EXPECT_EQ(control(socket, control::kMake, 16), kSuccess);
  EXPECT_EQ(control(socket, control::own(240)), kNotSupported);  // multicast
}

TEST_F(NtSockets, BytesArriveAndTheEndIsSeen) {
  const auto [client, server] = pair();
  EXPECT_EQ(send(client, "hello"), kSuccess);
  EXPECT_EQ(information(), 5u);
  EXPECT_EQ(receive(server, 3), kSuccess);
  EXPECT_EQ(output(3), "hel");
  EXPECT_EQ(process.call("NtReadFile", {server, 0, 0, 0, kAt + kStatus, kAt + kOutput, 8, 0}), kSuccess);
  EXPECT_EQ(output(2), "lo");
  process.put(kInput, u32{1});
  EXPECT_EQ(control(client, control::kShutDown, 4), kSuccess);
  EXPECT_EQ(send(client, "more"), kPipeDisconnected);
  EXPECT_EQ(receive(server, 3), kSuccess);
  EXPECT_EQ(information(), 0u);
}

TEST_F(NtSockets, CallsThatWaitEndWhenTheOtherSideActs) {
  const u64 listener = listening(80), client = made();
  EXPECT_EQ(control(listener, control::kAccept, 0, 4, 0x20), kPending);
  EXPECT_EQ(status(0x20), kPending);
  ASSERT_EQ(connect(client, 80), kSuccess);
  EXPECT_EQ(status(0x20), kSuccess);
  const u64 server = process.get<u32>(kOutput);
  EXPECT_EQ(receive(server, 8, 0x20), kPending);
  ASSERT_EQ(send(client, "hello"), kSuccess);
  EXPECT_EQ(status(0x20), kSuccess);
  EXPECT_EQ(information(0x20), 5u);
  EXPECT_EQ(output(5), "hello");
  EXPECT_EQ(receive(server, 8, 0x20), kPending);
  ASSERT_EQ(process.call("NtClose", {client}), kSuccess);
  EXPECT_EQ(status(0x20), kSuccess);
  EXPECT_EQ(information(0x20), 0u);
}

TEST_F(NtSockets, SocketsThatDoNotBlockSayThatTheyWouldWait) {
  const auto [client, server] = pair();
  process.put(kInput, u32{1});
  ASSERT_EQ(control(client, control::kBlockingMode, 4), kSuccess);
  EXPECT_EQ(receive(client, 8), kDeviceNotReady);
  const std::string much(0x800, 'x');
  u64 sent = 0;
  while (send(client, much) == kSuccess) sent += information();
  EXPECT_EQ(sent, Connection::kMostBytes);
  EXPECT_EQ(send(client, much, true), kPending);  // an overlapped call waits all the same
  EXPECT_EQ(receive(server, 0x400), kSuccess);
  EXPECT_EQ(status(), kSuccess);
}

TEST_F(NtSockets, AConnectionIsAcceptedIntoAFreshSocketOnly) {
  const u64 listener = listening(80), client = made(), taken = made();
  const auto accept_into = [&](u64 socket) {
    process.put(kInput, std::array<u32, 3>{static_cast<u32>(socket), 0, 32});
    return control(listener, control::kAcceptInto, 12, 64, 0x20);
  };
  EXPECT_EQ(accept_into(listener), kInvalidParameter);
  EXPECT_EQ(accept_into(taken), kPending);
  ASSERT_EQ(connect(client, 80), kSuccess);
  EXPECT_EQ(status(0x20), kSuccess);
  EXPECT_EQ(process.get<u32>(kOutput), 16u);       // the size of the local address
  EXPECT_EQ(process.get<u32>(kOutput + 32), 16u);  // the size of the client's address
  EXPECT_EQ(accept_into(taken), kInvalidParameter);
  ASSERT_EQ(send(client, "hello"), kSuccess);
  EXPECT_EQ(receive(taken, 5), kSuccess);
  // The file becomes a listener while it waits to be an accepted socket.
  const u64 late = made(), second = made();
  EXPECT_EQ(accept_into(late), kPending);
  EXPECT_EQ(with_address(late, control::kBind, 4, Endpoint::loopback(Endpoint::kV4, 81)), kSuccess);
  process.put(kInput, std::array<u32, 3>{0, 5, 0});
  EXPECT_EQ(control(late, control::kListen, 12), kSuccess);
  EXPECT_EQ(control(late, control::kAccept, 0, 4, 0x30), kPending);
  ASSERT_EQ(connect(second, 80), kSuccess);
  EXPECT_EQ(status(0x20), kSuccess);
}

TEST_F(NtSockets, AClosedSocketCancelsItsCalls) {
  const auto [client, server] = pair();
  ASSERT_EQ(process.call("NtCreateIoCompletion", {kAt, 0, 0, 0}), kSuccess);
  const u64 port = process.get(0);
  process.put(kInput, std::array<u64, 2>{port, 77});
  ASSERT_EQ(process.call("NtSetInformationFile", {client, kAt + kStatus, kAt + kInput, 16, 30}), kSuccess);
  context = 5;
  EXPECT_EQ(receive(client, 8, 0x20), kPending);
  EXPECT_EQ(receive(client, 8, 0x30), kPending);
  EXPECT_EQ(process.call("NtCancelIoFileEx", {client, kAt + 0x30, kAt + kStatus}), kSuccess);
  EXPECT_EQ(status(0x30), kCancelled);
  EXPECT_EQ(status(0x20), kPending);
  EXPECT_EQ(process.call("NtCancelIoFileEx", {client, kAt + 0x30, kAt + kStatus}), kNotFound);
  ASSERT_EQ(process.call("NtClose", {client}), kSuccess);
  EXPECT_EQ(status(0x20), kCancelled);
  const auto& packets = process.state.handles.at<Port>(port)->packets;
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_EQ(packets.back().key, 77u);
  EXPECT_EQ(packets.back().status, kCancelled);
}

TEST_F(NtSockets, APollEndsWithAStateOrWithItsTime) {
  const auto [client, server] = pair();
  const u64 device = opened();
  EXPECT_EQ(poll_for(device, server, poll::kRead, 0), kTimeout);
  EXPECT_EQ(poll_for(device, server, poll::kRead | poll::kWrite, 0), kSuccess);
  EXPECT_EQ(process.get<u32>(kOutput + kPollCountAt), 1u);
  EXPECT_EQ(process.get<u32>(kOutput + kPollHeader + 8), poll::kWrite);
  EXPECT_EQ(poll_for(device, server, poll::kRead, INT64_MAX), kPending);
  ASSERT_EQ(send(client, "x"), kSuccess);
  EXPECT_EQ(status(0x30), kSuccess);
  EXPECT_EQ(process.get(kOutput + kPollHeader), server);
  EXPECT_EQ(poll_for(device, 0x4444, poll::kRead, 0), kInvalidHandle);
}

TEST_F(NtSockets, AThreadThatWaitsForAPollWakesInTime) {
  const auto [client, server] = pair();
  const u64 device = opened();
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, 1, 0}), kSuccess);
  event = process.get(0);
  EXPECT_EQ(poll_for(device, server, poll::kRead, -10'000), kPending);  // a millisecond
  EXPECT_EQ(process.call("NtWaitForSingleObject", {event, 0, 0}), kNoAnswer);
  Thread& thread = *process.state.threads[0];
  EXPECT_EQ(thread.wait.wake_ns, 1'000'000u);
  end_late_socket_calls(*process.state.system, 999'999);
  EXPECT_EQ(status(0x30), kPending);
  end_late_socket_calls(*process.state.system, 1'000'000);
  EXPECT_EQ(status(0x30), kTimeout);
  EXPECT_EQ(thread.wait.kind, Wait::Kind::none);
}

TEST_F(NtSockets, EventsAreSignalledOncePerState) {
  const auto [client, server] = pair();
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, 0, 0}), kSuccess);
  const u64 signal = process.get(0);
  process.put(kInput, std::array<u64, 2>{signal, poll::kRead | poll::kHangUp});
  ASSERT_EQ(control(server, control::kSelectEvents, 16), kSuccess);
  const auto is_signalled = [&] { return process.state.handles.at<Event>(signal)->signalled; };
  const auto states = [&] {
    EXPECT_EQ(process.call("NtDeviceIoControlFile",
                           {server, 0, 0, 0, kAt + kStatus, control::kGetEvents, signal, 0, kAt + kOutput, 56}),
              kSuccess);
    return process.get<u32>(kOutput);
  };
  EXPECT_FALSE(is_signalled());
  ASSERT_EQ(send(client, "ab"), kSuccess);
  EXPECT_TRUE(is_signalled());
  EXPECT_EQ(states(), poll::kRead);
  EXPECT_FALSE(is_signalled());
  ASSERT_EQ(send(client, "c"), kSuccess);
  EXPECT_FALSE(is_signalled());  // the first bytes were not received yet
  EXPECT_EQ(receive(server, 1), kSuccess);
  EXPECT_TRUE(is_signalled());
  EXPECT_EQ(states(), poll::kRead);
  EXPECT_EQ(receive(server, 8), kSuccess);
  ASSERT_EQ(process.call("NtClose", {client}), kSuccess);
  EXPECT_EQ(states(), poll::kHangUp);
}

TEST_F(NtSockets, DatagramsSayWhoSentThem) {
  const u64 receiver = made(Socket::kDatagram), sender = made(Socket::kDatagram);
  ASSERT_EQ(with_address(receiver, control::kBind, 4, Endpoint::loopback(Endpoint::kV4, 53)), kSuccess);
  const std::vector<u8> to = Endpoint::loopback(Endpoint::kV4, 53).bytes();
  process.state.space.write(kAt + 0x7000, to.data(), to.size());
  process.state.space.write(kAt + kData, "hello", 5);
  process.put(kPieces, std::array<u64, 2>{5, kAt + kData});
  process.put(kInput, std::array<u64, 4>{kAt + 0x7000, 16, u64{1} << 32, kAt + kPieces});
  ASSERT_EQ(control(sender, control::kSendMessage, 32), kSuccess);
  process.put(0x7080, u32{28});
  process.put(kPieces, std::array<u64, 2>{3, kAt + kOutput});
  process.put(kInput, std::array<u64, 6>{0, kAt + 0x7040, kAt + 0x7080, 0, u64{1} << 32, kAt + kPieces});
  EXPECT_EQ(control(receiver, control::kReceiveMessage, 48), kBufferOverflow);  // it is longer than the buffer
  EXPECT_EQ(output(3), "hel");
  EXPECT_EQ(process.get<u32>(0x7080), 16u);
  EXPECT_EQ(process.get<u32>(0x7044), 0x0100'007fu);
}

TEST_F(NtSockets, OptionsAreRemembered) {
  const u64 socket = made();
  constexpr u32 kGetSize = control::own(230), kSetSize = control::own(229);
  ASSERT_EQ(control(socket, kGetSize, 0, 4), kSuccess);
  EXPECT_EQ(process.get<u32>(kOutput), 65536u);
  process.put(kInput, u32{1234});
  ASSERT_EQ(control(socket, kSetSize, 4), kSuccess);
  ASSERT_EQ(control(socket, kGetSize, 0, 4), kSuccess);
  EXPECT_EQ(process.get<u32>(kOutput), 1234u);
  ASSERT_EQ(control(socket, control::kInformation, 0, 12), kSuccess);
  EXPECT_EQ(process.get<u32>(kOutput + 4), Socket::kStream);
  EXPECT_EQ(control(socket, control::kOwnAddress, 0, 28), kInvalidParameter);
  EXPECT_EQ(control(socket, control::kPeerAddress, 0, 28), kInvalidConnection);
}

TEST_F(NtSockets, BadPointersAreErrors) {
  const auto [client, server] = pair();
  process.put(kPieces, std::array<u64, 2>{16, 0x10});
  process.put(kInput, std::array<u64, 4>{0, 0, u64{1} << 32, kAt + kPieces});
  EXPECT_EQ(control(client, control::kSendMessage, 32), kAccessViolation);
  process.put(kInput, std::array<u64, 4>{0, 0, u64{1} << 32, 0x10});
  EXPECT_EQ(control(client, control::kSendMessage, 32), kAccessViolation);
  process.put(kInput, std::array<u64, 4>{0, 0, u64{100000} << 32, kAt + kPieces});
  EXPECT_EQ(control(client, control::kSendMessage, 32), kInvalidParameter);
  ASSERT_EQ(send(client, "x"), kSuccess);
  process.put(kPieces, std::array<u64, 2>{16, 0x10});
  process.put(kInput, std::array<u64, 6>{0, 0, 0, 0, u64{1} << 32, kAt + kPieces});
  EXPECT_EQ(control(server, control::kReceiveMessage, 48), kAccessViolation);
}

class NtNames : public testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments, kLibrary = 0x1000'0000;
  NtNames() { process.state.modules.push_back({"ws2_32.dll", "", kLibrary, 0x1000, 0}); }

  u64 ask(u32 code, u64 handle = kLibrary) {
    Thread& thread = *process.state.threads[0];
    thread.registers.x[0] = handle;
    thread.registers.x[1] = code;
    thread.registers.x[2] = kAt;
    Call call(process.state, thread, "host", 0);
    return answer_host_call(call);
  }
  u64 addresses_of(const std::string& name, const std::string& service = "", u32 flags = 0, u32 family = 0) {
    process.state.space.write(kAt + 0x100, name.c_str(), name.size() + 1);
    process.state.space.write(kAt + 0x200, service.c_str(), service.size() + 1);
    process.put(0x300, std::array<u32, 4>{flags, family, 1, 6});
    process.put(0x400, u32{0x400});
    process.put(0, std::array<u64, 5>{name.empty() ? 0 : kAt + 0x100, service.empty() ? 0 : kAt + 0x200, kAt + 0x300,
                                      kAt + 0x1000, kAt + 0x400});
    return ask(0);
  }
  Endpoint found(u64 at = 0x1000) {
    std::array<u8, 28> bytes{};
    process.state.space.read(process.get(at + 32), bytes.data(), bytes.size());
    return Endpoint::read(bytes).value_or(Endpoint());
  }

  TestProcess process;
};

TEST_F(NtNames, OwnNamesAndDigitsAreKnown) {
  EXPECT_EQ(addresses_of("LocalHost", "8080"), 0u);
  EXPECT_EQ(found(), Endpoint::loopback(Endpoint::kV6, 8080));
  EXPECT_EQ(Endpoint::kV4, process.get<u32>(0x1000 + 80 + 4));
  EXPECT_EQ(process.get(0x1000 + 40), kAt + 0x1000 + 80);
  EXPECT_EQ(found(0x1000 + 80), Endpoint::loopback(Endpoint::kV4, 8080));
  EXPECT_EQ(process.get(0x1000 + 80 + 40), 0u);
  EXPECT_EQ(addresses_of("127.0.0.1", "http"), 0u);
  EXPECT_EQ(found(), Endpoint::loopback(Endpoint::kV4, 80));
  EXPECT_EQ(addresses_of("::ffff:7f00:1", "1", 0, Endpoint::kV6), 0u);
  EXPECT_EQ(found().as_v4(), Endpoint::loopback(Endpoint::kV4, 1));
  EXPECT_EQ(addresses_of("", "1", 1, Endpoint::kV4), 0u);
  EXPECT_TRUE(found().is_any());
}

TEST_F(NtNames, OtherNamesAreNot) {
  constexpr u64 kNoSuchHost = 11001, kNoSuchService = 10109;
  for (const char* const name : {"example.com", "1.2.3", "1.2.3.4.5", "1.2.3.256", "::1::", "1:2:3:4:5:6:7",
                                 "12345::", "1:2:3:4:5:6:7:8:9", ":", "g::"}) {
    EXPECT_EQ(addresses_of(name), kNoSuchHost) << name;
  }
  EXPECT_EQ(addresses_of("localhost", "", 4), kNoSuchHost);  // only digits are wanted
  EXPECT_EQ(addresses_of("127.0.0.1", "", 0, Endpoint::kV6), kNoSuchHost);
  EXPECT_EQ(addresses_of("localhost", "no-service"), kNoSuchService);
  EXPECT_EQ(addresses_of("localhost", "65536"), kNoSuchService);
  EXPECT_EQ(ask(0, kLibrary + 1), kNotImplemented);
}

TEST_F(NtNames, ABufferThatIsTooSmallLearnsTheSize) {
  EXPECT_EQ(addresses_of("localhost"), 0u);
  process.put(0x400, u32{100});
  EXPECT_EQ(ask(0), 122u);
  EXPECT_EQ(process.get<u32>(0x400), 160u);
}

TEST_F(NtNames, AddressesHaveNames) {
  const auto name_of = [&](const Endpoint& one, u32 flags) {
    const std::vector<u8> bytes = one.bytes();
    process.state.space.write(kAt + 0x100, bytes.data(), bytes.size());
    process.put(0,
                std::array<u64, 6>{kAt + 0x100, bytes.size(), kAt + 0x1000, 64, kAt + 0x1100, u64{flags} << 32 | 16});
    if (const u64 error = ask(4); error != 0) return "error " + std::to_string(error);
    std::string text(64, '\0');
    process.state.space.read(kAt + 0x1000, text.data(), text.size());
    return text.substr(0, text.find('\0'));
  };
  EXPECT_EQ(name_of(Endpoint::loopback(Endpoint::kV4, 1), 0), "simulated");
  EXPECT_EQ(name_of(Endpoint::loopback(Endpoint::kV4, 1), 2), "127.0.0.1");
  EXPECT_EQ(name_of(Endpoint::loopback(Endpoint::kV6, 1), 2), "::1");
  EXPECT_EQ(name_of({.family = Endpoint::kV4, .port = 1, .host = {10, 0, 0, 1}}, 0), "10.0.0.1");
  EXPECT_EQ(name_of({.family = Endpoint::kV4, .port = 1, .host = {10, 0, 0, 1}}, 4), "error 11001");
  EXPECT_EQ(process.get<u16>(0x1100), '1');
}

}  // namespace
}  // namespace wperf::sim::nt
