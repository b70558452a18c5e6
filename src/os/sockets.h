// SPDX-License-Identifier: BSD-3-Clause
// Connections that come in by TCP. Called by http_server.cpp.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "diag/result.h"

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
  // Is there something to read (of one that listens: somebody who comes) within this time?
  bool wait(u32 milliseconds) const;
  // Of one that listens.
  Socket accept() const;
  // What is there, at most `most` bytes; empty: the other side is gone, or nothing is there.
  std::string read(usize most) const;
  // Until all is written, or for so long.
  bool write(std::string_view bytes, u32 milliseconds) const;

 private:
  static constexpr std::intptr_t kNone = -1;
  std::intptr_t handle_ = kNone;
};

struct Listening {
  Socket socket;
  u16 port = 0;  // that it got
};
// `host`: a number of IPv4 or IPv6.
diag::Result<Listening> listen_at(const std::string& host, u16 port);

}  // namespace wperf::os
