// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/network.h"

#include <gtest/gtest.h>

#include "sim/nt/socket_controls.h"

namespace wperf::sim::nt {
namespace {

std::shared_ptr<Socket> made(u32 type, u16 family = Endpoint::kV4) {
  auto socket = std::make_shared<Socket>();
  socket->type = type;
  socket->family = family;
  return socket;
}
std::shared_ptr<Socket> stream(u16 family = Endpoint::kV4) {
  return made(Socket::kStream, family);
}
Endpoint local(u16 port, u16 family = Endpoint::kV4) {
  return Endpoint::loopback(family, port);
}
Endpoint any(u16 port, u16 family = Endpoint::kV4) {
  return {.family = family, .port = port, .host = {}};
}

TEST(Endpoints, AreReadAndWrittenAsWindowsHasThem) {
  const std::vector<u8> bytes = {2, 0, 0x1f, 0x90, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Endpoint::read(bytes), local(8080));
  EXPECT_EQ(local(8080).bytes(), bytes);
  EXPECT_EQ(Endpoint::read(local(80, Endpoint::kV6).bytes()), local(80, Endpoint::kV6));
  EXPECT_FALSE(Endpoint::read(std::span(bytes).first(15)).has_value());
  EXPECT_FALSE(Endpoint::read(std::vector<u8>{23, 0, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}).has_value());
  EXPECT_FALSE(Endpoint::read(std::vector<u8>(28)).has_value());  // family 0
  EXPECT_EQ(local(1).as_v6().as_v4(), local(1));
  EXPECT_EQ(local(1, Endpoint::kV6).as_v4(), local(1, Endpoint::kV6));
  EXPECT_TRUE(local(1).as_v6().is_own());
  EXPECT_FALSE((Endpoint{.family = Endpoint::kV4, .port = 1, .host = {10, 0, 0, 1}}).is_own());
}

TEST(Networks, PortsHaveOneOwner) {
  Network network;
  const auto first = stream(), second = stream(), third = stream();
  EXPECT_EQ(network.bind(first, local(8080), false), kSuccess);
  EXPECT_EQ(network.bind(first, local(8081), false), kInvalidParameter);  // the socket already has an address
  EXPECT_EQ(network.bind(second, local(8080), false), kAddressInUse);
  EXPECT_EQ(network.bind(second, any(8080), false), kAddressInUse);
  EXPECT_EQ(network.bind(second, local(8080), true), kSuccess);
  EXPECT_EQ(network.bind(third, {.family = Endpoint::kV4, .port = 1, .host = {10, 0, 0, 1}}, false), kNotOwnAddress);
  EXPECT_EQ(network.bind(third, local(1, Endpoint::kV6), false), kInvalidParameter);
  EXPECT_EQ(network.bind(made(Socket::kDatagram), local(8080), false), kSuccess);  // datagrams have their own ports
  EXPECT_EQ(network.bind(third, local(0), false), kSuccess);
  EXPECT_GE(third->local->port, 49152);
}

TEST(Networks, APortIsFreeWhenItsSocketIsClosed) {
  Network network;
  auto first = stream();
  EXPECT_EQ(network.bind(first, local(8080), false), kSuccess);
  first = nullptr;
  EXPECT_EQ(network.bind(stream(), local(8080), false), kSuccess);
}

TEST(Networks, ConnectionsCarryBytesBothWays) {
  Network network;
  const auto listener = stream(), client = stream();
  EXPECT_EQ(Network::listen(*listener, 5), kInvalidParameter);  // the socket has no address
  EXPECT_EQ(network.connect(client, local(80)), kConnectionRefused);
  EXPECT_EQ(client->ready(), poll::kConnectError);
  ASSERT_EQ(network.bind(listener, any(80), false), kSuccess);
  EXPECT_EQ(network.connect(client, local(80)), kConnectionRefused);  // it does not listen yet
  ASSERT_EQ(Network::listen(*listener, 1), kSuccess);
  EXPECT_EQ(listener->ready(), 0u);
  ASSERT_EQ(network.connect(client, local(80)), kSuccess);
  EXPECT_EQ(listener->ready(), poll::kAccept);
  EXPECT_EQ(network.connect(client, local(80)), kConnectionActive);
  EXPECT_EQ(network.connect(stream(), local(80)), kConnectionRefused);  // the backlog is full
  auto accepted = listener->arrivals.front();
  listener->arrivals.pop_front();
  EXPECT_EQ(accepted->local, local(80));
  EXPECT_EQ(accepted->peer, client->local);
  EXPECT_EQ(client->ready(), poll::kConnected | poll::kWrite);
  client->connection->bytes[1] = {'a', 'b'};
  EXPECT_EQ(accepted->ready(), poll::kConnected | poll::kWrite | poll::kRead);
  client->connection->bytes[1].clear();
  client->connection->has_finished[0] = true;
  EXPECT_EQ(accepted->ready(), poll::kConnected | poll::kWrite | poll::kHangUp);
  accepted = nullptr;
  EXPECT_TRUE(client->has_ended());
}

TEST(Networks, AClosedSocketWithUnreadBytesResetsTheConnection) {
  Network network;
  const auto listener = stream(), client = stream();
  ASSERT_EQ(network.bind(listener, local(80), false), kSuccess);
  ASSERT_EQ(Network::listen(*listener, 1), kSuccess);
  ASSERT_EQ(network.connect(client, local(80)), kSuccess);
  client->connection->bytes[1] = {'a'};
  listener->arrivals.clear();
  EXPECT_NE(client->ready() & poll::kReset, 0u);
}

TEST(Networks, SocketsOfBothFamiliesMeetIfTheyAllowIt) {
  Network network;
  const auto listener = stream(Endpoint::kV6);
  ASSERT_EQ(network.bind(listener, any(80, Endpoint::kV6), false), kSuccess);
  ASSERT_EQ(Network::listen(*listener, 5), kSuccess);
  EXPECT_EQ(network.connect(stream(), local(80)), kConnectionRefused);
  listener->options[control::kOnlyV6] = {0, 0, 0, 0};
  const auto client = stream();
  ASSERT_EQ(network.connect(client, local(80)), kSuccess);
  EXPECT_EQ(listener->arrivals.front()->peer, client->local->as_v6());
  const auto mapped = stream(Endpoint::kV6), plain = stream();
  ASSERT_EQ(network.bind(plain, local(81), false), kSuccess);
  ASSERT_EQ(Network::listen(*plain, 5), kSuccess);
  ASSERT_EQ(network.connect(mapped, local(81).as_v6()), kSuccess);
  EXPECT_EQ(plain->arrivals.front()->peer, mapped->local->as_v4());
}

TEST(Networks, DatagramsReachOneSocketOrAreLost) {
  Network network;
  const auto receiver = made(Socket::kDatagram), sender = made(Socket::kDatagram);
  ASSERT_EQ(network.bind(receiver, any(53), false), kSuccess);
  EXPECT_EQ(network.send(sender, local(54), "lost"), kSuccess);
  EXPECT_EQ(network.send(sender, local(53), "one"), kSuccess);
  ASSERT_EQ(receiver->datagrams.size(), 1u);
  EXPECT_EQ(receiver->datagrams.front().from, sender->local);
  EXPECT_EQ(network.send(sender, {.family = Endpoint::kV4, .port = 1, .host = {10, 0, 0, 1}}, "x"),
            kNetworkUnreachable);
  EXPECT_EQ(network.send(sender, local(53), std::string(70000, 'x')), kBufferOverflow);
  for (int count = 0; count < 10; ++count) (void)network.send(sender, local(53), std::string(60000, 'x'));
  EXPECT_LE(receiver->datagram_bytes, Socket::kMostDatagramBytes);
  ASSERT_EQ(network.connect(receiver, local(99)), kSuccess);  // now it only receives datagrams from port 99
  receiver->datagrams.clear();
  receiver->datagram_bytes = 0;
  EXPECT_EQ(network.send(sender, local(53), "two"), kSuccess);
  EXPECT_TRUE(receiver->datagrams.empty());
}

}  // namespace
}  // namespace wperf::sim::nt
