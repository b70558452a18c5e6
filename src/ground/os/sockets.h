// SPDX-License-Identifier: BSD-3-Clause
// Incoming TCP connections.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

class Socket {
 public:
  Socket() = default;
  explicit Socket(std::intptr_t handle) : handle_(handle) {}
  Socket(Socket&& other) noexcept : handle_(other.handle_) { other.handle_ = kNone; }
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(); }

  bool is_open() const { return handle_ != kNone; }
  void close();
  // Is the socket readable (for a listening socket: is there a new connection), or writable?
  struct Awaited {
    const Socket* socket = nullptr;
    bool to_write = false;
    bool is_ready = false;
  };
  // Waits until one socket is ready, or until the timeout. Windows takes at most 64 sockets.
  static void wait_for_any(std::span<Awaited> all, u32 milliseconds);
  // Accepts a connection on a listening socket. Returns a closed socket if no connection waits any more, or if the
  // system has no more sockets.
  Socket accept() const;
  // The bytes that have arrived, at most `most`; empty if the other side is gone, or if no bytes have arrived.
  std::string read(usize most) const;
  // Returns the number of bytes written; nullopt if the other side is gone.
  std::optional<usize> write(std::string_view bytes) const;

 private:
  static constexpr std::intptr_t kNone = -1;
  std::intptr_t handle_ = kNone;
};

struct Listening {
  Socket socket;
  u16 port = 0;  // the assigned port
};
// `host`: a numeric IPv4 or IPv6 address.
diag::Result<Listening> listen_at(const std::string& host, u16 port);

}  // namespace wperf::os
