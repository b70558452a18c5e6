// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/network.h"

#include <algorithm>
#include <utility>

#include "sim/nt/socket_controls.h"

namespace wperf::sim::nt {
namespace {

constexpr u16 kFirstFreePort = 49152;  // Windows chooses ports from here on
constexpr usize kMostSockets = 16384;
constexpr std::array<u8, 16> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_mapped(const Endpoint& one) {
  return one.family == Endpoint::kV6 && std::equal(kMapped.begin(), kMapped.begin() + 12, one.host.begin());
}

bool takes_v4(const Socket& socket) {
  return socket.family == Endpoint::kV6 && option_value(socket, control::kOnlyV6) == 0;
}

// Whether a socket with this local address receives data that is sent to the endpoint.
bool receives(const Socket& socket, const Endpoint& to) {
  const Endpoint& local = *socket.local;
  if (local.family == to.family) return local.is_any() || local.host == to.host;
  return takes_v4(socket) && (local.is_any() || local == to.as_v6());
}

}  // namespace

std::optional<Endpoint> Endpoint::read(std::span<const u8> bytes) {
  constexpr usize kV4Bytes = 16, kV6HostAt = 8;
  if (bytes.size() < kV4Bytes) return std::nullopt;
  Endpoint one;
  one.family = static_cast<u16>(bytes[0] | bytes[1] << 8);
  one.port = static_cast<u16>(bytes[2] << 8 | bytes[3]);
  if (one.family == kV4) {
    std::copy_n(bytes.begin() + 4, 4, one.host.begin());
    return one;
  }
  if (one.family != kV6 || bytes.size() < kMostBytes) return std::nullopt;
  std::copy_n(bytes.begin() + kV6HostAt, 16, one.host.begin());
  return one;
}

std::vector<u8> Endpoint::bytes() const {
  std::vector<u8> out(family == kV4 ? 16 : kMostBytes);
  out[0] = static_cast<u8>(family);
  out[2] = static_cast<u8>(port >> 8);
  out[3] = static_cast<u8>(port);
  if (family == kV4) {
    std::copy_n(host.begin(), 4, out.begin() + 4);
  } else {
    std::copy_n(host.begin(), 16, out.begin() + 8);
  }
  return out;
}

Endpoint Endpoint::loopback(u16 family, u16 port) {
  Endpoint one{.family = family, .port = port, .host = {}};
  if (family == kV4) {
    one.host[0] = 127;
    one.host[3] = 1;
  } else {
    one.host[15] = 1;
  }
  return one;
}

bool Endpoint::is_own() const {
  if (is_any()) return true;
  if (family == kV4) return host[0] == 127;
  return is_mapped(*this) ? as_v4().is_own() : host == loopback(kV6, 0).host;
}

Endpoint Endpoint::as_v6() const {
  Endpoint one{.family = kV6, .port = port, .host = kMapped};
  std::copy_n(host.begin(), 4, one.host.begin() + 12);
  return family == kV4 ? one : *this;
}

Endpoint Endpoint::as_v4() const {
  if (!is_mapped(*this)) return *this;
  Endpoint one{.family = kV4, .port = port, .host = {}};
  std::copy_n(host.begin() + 12, 4, one.host.begin());
  return one;
}

Socket::~Socket() {
  if (connection == nullptr) return;
  connection->is_open[end] = false;
  connection->is_reset |= !connection->bytes[end].empty();
}

bool Socket::has_ended() const {
  return connection != nullptr && (connection->has_finished[1 - end] || !connection->is_open[1 - end]);
}

usize Socket::room() const {
  const usize held = connection->bytes[1 - end].size();
  return Connection::kMostBytes - std::min(held, Connection::kMostBytes);
}

u32 Socket::ready() const {
  u32 states = error != kSuccess ? poll::kConnectError : 0;
  if (!arrivals.empty()) states |= poll::kAccept;
  if (type == kDatagram) return states | poll::kWrite | (datagrams.empty() ? 0 : poll::kRead);
  if (connection == nullptr) return states;
  states |= poll::kConnected;
  if (connection->is_reset) return states | poll::kReset | poll::kWrite;
  if (!connection->bytes[end].empty()) {
    states |= poll::kRead;
  } else if (has_ended()) {
    states |= poll::kHangUp;
  }
  return states | (room() != 0 || !connection->is_open[1 - end] ? poll::kWrite : 0);
}

std::vector<std::shared_ptr<Socket>> Network::at_port(const Socket& like, u16 port) {
  std::vector<std::shared_ptr<Socket>> found;
  Ports& ports = ports_of(like);
  auto [at, last] = ports.equal_range(port);
  while (at != last) {
    if (auto socket = at->second.lock()) {
      found.push_back(std::move(socket));
      ++at;
    } else {
      at = ports.erase(at);
    }
  }
  return found;
}

u16 Network::free_port(const Socket& socket) {
  for (u32 tries = 0; tries < 65536 - kFirstFreePort; ++tries) {
    if (next_port_ < kFirstFreePort) next_port_ = kFirstFreePort;
    const u16 port = next_port_++;
    if (at_port(socket, port).empty()) return port;
  }
  return 0;
}

Status Network::bind(const std::shared_ptr<Socket>& socket, const Endpoint& local, bool shared) {
  if (socket->local.has_value() || local.family != socket->family) return kInvalidParameter;
  if (!local.is_own()) return kNotOwnAddress;
  Endpoint bound = local;
  if (bound.port == 0) bound.port = free_port(*socket);
  if (bound.port == 0 || ports_of(*socket).size() >= kMostSockets) return kInsufficientResources;
  if (!shared) {
    for (const auto& other : at_port(*socket, bound.port)) {
      const Endpoint& its = *other->local;
      if (its.family == bound.family && (its.host == bound.host || its.is_any() || bound.is_any()))
        return kAddressInUse;
    }
  }
  socket->local = bound;
  ports_of(*socket).emplace(bound.port, socket);
  return kSuccess;
}

Status Network::listen(Socket& socket, usize backlog) {
  if (socket.type != Socket::kStream) return kNotSupported;
  if (!socket.local.has_value()) return kInvalidParameter;
  if (socket.connection != nullptr) return kConnectionActive;
  socket.backlog = std::clamp<usize>(backlog, 1, 200);
  return kSuccess;
}

// An exact address comes before "any".
std::shared_ptr<Socket> Network::find(const Socket& like, const Endpoint& to) {
  std::shared_ptr<Socket> best;
  for (auto& one : at_port(like, to.port)) {
    if ((like.type == Socket::kStream && one->backlog == 0) || !receives(*one, to)) continue;
    if (best == nullptr || best->local->is_any()) best = std::move(one);
  }
  return best;
}

// A socket without an address gets one when it sends or connects.
Status Network::bind_if_needed(const std::shared_ptr<Socket>& socket, const Endpoint& to) {
  if (socket->local.has_value()) {
    if (socket->local->is_any() && socket->type == Socket::kStream)
      socket->local = Endpoint::loopback(to.family, socket->local->port);
    return kSuccess;
  }
  const Endpoint own =
      is_mapped(to) ? Endpoint::loopback(Endpoint::kV4, 0).as_v6() : Endpoint::loopback(socket->family, 0);
  return bind(socket, own, false);
}

Status Network::connect(const std::shared_ptr<Socket>& socket, const Endpoint& to) {
  if (socket->connection != nullptr) return kConnectionActive;
  if (socket->backlog != 0 || to.family != socket->family) return kInvalidParameter;
  if (!to.is_own()) return kNetworkUnreachable;
  Endpoint target = to.is_any() ? Endpoint::loopback(to.family, to.port) : to;
  if (const Status status = bind_if_needed(socket, target); status != kSuccess) return status;
  if (socket->type == Socket::kDatagram) {
    socket->peer = target;
    return kSuccess;
  }
  const auto listener = find(*socket, target.as_v4());
  socket->error = listener == nullptr || listener->arrivals.size() >= listener->backlog ? kConnectionRefused : kSuccess;
  if (socket->error != kSuccess) return socket->error;
  auto accepted = std::make_shared<Socket>();
  accepted->family = listener->family;
  accepted->type = listener->type;
  accepted->protocol = listener->protocol;
  const bool maps = listener->family == Endpoint::kV6;
  accepted->local = maps ? target.as_v6() : target.as_v4();
  accepted->peer = maps ? socket->local->as_v6() : socket->local->as_v4();
  socket->peer = target;
  socket->connection = accepted->connection = std::make_shared<Connection>();
  accepted->end = 1;
  listener->arrivals.push_back(std::move(accepted));
  return kSuccess;
}

Status Network::send(const std::shared_ptr<Socket>& from, const Endpoint& to, std::string bytes) {
  constexpr usize kMostInOne = 65507;
  if (bytes.size() > kMostInOne) return kBufferOverflow;
  if (to.family != from->family) return kInvalidParameter;
  if (!to.is_own()) return kNetworkUnreachable;
  const Endpoint target = to.is_any() ? Endpoint::loopback(to.family, to.port) : to;
  if (const Status status = bind_if_needed(from, target); status != kSuccess) return status;
  const auto receiver = find(*from, target.as_v4());
  if (receiver == nullptr || receiver->datagram_bytes + bytes.size() > Socket::kMostDatagramBytes) return kSuccess;
  Endpoint source = *from->local;
  if (source.is_any()) source = Endpoint::loopback(source.family, source.port);
  // A connected socket only gets datagrams from its peer.
  source = receiver->family == Endpoint::kV6 ? source.as_v6() : source.as_v4();
  if (receiver->peer.has_value() && *receiver->peer != source) return kSuccess;
  receiver->datagram_bytes += bytes.size() + sizeof(Datagram);
  receiver->datagrams.push_back({source, std::move(bytes)});
  return kSuccess;
}

}  // namespace wperf::sim::nt
