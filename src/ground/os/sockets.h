// SPDX-License-Identifier: BSD-3-Clause
// Connections that come in by TCP. Called by http_server.cpp.
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
  // Is there something to read (of one that listens: somebody who comes), or room to write?
  struct Awaited {
    const Socket* socket = nullptr;
    bool to_write = false;
    bool is_ready = false;
  };
  // Until one of them is ready, or for so long. Few: Windows knows 64.
  static void wait_for_any(std::span<Awaited> all, u32 milliseconds);
  // Of one that listens. Not open: nobody is there any more, or the system has no more of them.
  Socket accept() const;
  // What is there, at most `most` bytes; empty: the other side is gone, or nothing is there.
  std::string read(usize most) const;
  // How much there was room for; none: the other side is gone.
  std::optional<usize> write(std::string_view bytes) const;

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
