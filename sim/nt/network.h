// SPDX-License-Identifier: BSD-3-Clause
// The network inside the simulated machine. Its sockets reach each other by the machine's own addresses, 127.0.0.1 and
// ::1. There is no way out of the machine, and none to the host.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ints.h"
#include "sim/nt/status.h"

namespace wperf::sim::nt {

struct Event;

struct Endpoint {
  static constexpr u16 kV4 = 2, kV6 = 23;
  static constexpr usize kMostBytes = 28;

  u16 family = kV4;
  u16 port = 0;
  std::array<u8, 16> host{};  // IPv4 uses the first four bytes

  // Convert between a `sockaddr` of Windows and an endpoint. read() returns nullopt for too few bytes or another
  // family.
  static std::optional<Endpoint> read(std::span<const u8> bytes);
  std::vector<u8> bytes() const;

  static Endpoint loopback(u16 family, u16 port);
  bool is_any() const { return host == std::array<u8, 16>{}; }
  bool is_own() const;     // an address of this machine, or "any"
  Endpoint as_v6() const;  // ::ffff:127.0.0.1 for 127.0.0.1
  Endpoint as_v4() const;  // the reverse; other endpoints are returned unchanged
  bool operator==(const Endpoint&) const = default;
};

// The two streams of bytes between two sockets. Ends: 0 has connected, 1 was accepted.
struct Connection {
  static constexpr usize kMostBytes = 256 << 10;  // in one direction

  std::deque<char> bytes[2];  // bytes that the end can receive
  bool is_open[2] = {true, true};
  bool has_finished[2] = {};  // the end sends no more
  bool is_reset = false;      // an end was closed with unread bytes
};

struct Datagram {
  Endpoint from;
  std::string bytes;
};

// The state of a socket that a program can wait for: AFD_POLL_….
namespace poll {
inline constexpr u32 kRead = 1, kWrite = 4, kHangUp = 8, kReset = 0x10, kClosed = 0x20, kConnected = 0x40,
                     kAccept = 0x80, kConnectError = 0x100;
}  // namespace poll

struct Socket {
  static constexpr u32 kStream = 1, kDatagram = 2;
  static constexpr usize kMostDatagramBytes = 256 << 10;

  Socket() = default;
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  u32 ready() const;       // poll::…
  bool has_ended() const;  // no more bytes will come
  usize room() const;      // bytes of a stream that can be sent now

  u16 family = 0;
  u32 type = 0, protocol = 0;
  bool blocks = true;
  std::optional<Endpoint> local, peer;
  std::shared_ptr<Connection> connection;
  usize end = 0;
  bool receives = true;                          // not shut down
  usize backlog = 0;                             // not 0: it listens
  std::deque<std::shared_ptr<Socket>> arrivals;  // connected and not accepted
  std::deque<Datagram> datagrams;
  usize datagram_bytes = 0;
  Status error = kSuccess;                 // of the last attempt to connect
  std::map<u32, std::vector<u8>> options;  // options that were set, keyed by the code that reads them

  // Set by WSAEventSelect: the event is signalled when one of the wanted states begins.
  std::shared_ptr<Event> event;
  u32 wanted = 0, reported = 0, pending = 0;
};

class Network {
 public:
  // `shared`: several sockets may have the address (SO_REUSEADDR).
  Status bind(const std::shared_ptr<Socket>& socket, const Endpoint& local, bool shared);
  static Status listen(Socket& socket, usize backlog);
  Status connect(const std::shared_ptr<Socket>& socket, const Endpoint& to);
  // A datagram is lost if it has no receiver, or if the receiver has no room for it.
  Status send(const std::shared_ptr<Socket>& from, const Endpoint& to, std::string bytes);

  std::vector<std::weak_ptr<Socket>> watched;  // sockets with an event of WSAEventSelect

 private:
  using Ports = std::multimap<u16, std::weak_ptr<Socket>>;

  Ports& ports_of(const Socket& socket) { return ports_[socket.type == Socket::kDatagram ? 1 : 0]; }
  std::vector<std::shared_ptr<Socket>> at_port(const Socket& like, u16 port);
  std::shared_ptr<Socket> find(const Socket& like, const Endpoint& to);
  Status bind_if_needed(const std::shared_ptr<Socket>& socket, const Endpoint& to);
  u16 free_port(const Socket& socket);

  Ports ports_[2];  // of streams and of datagrams
  u16 next_port_ = 0;
};

}  // namespace wperf::sim::nt
