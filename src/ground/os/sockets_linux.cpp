// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "ground/os/sockets.h"

namespace wperf::os {

Socket& Socket::operator=(Socket&& other) noexcept {
  close();
  std::swap(handle_, other.handle_);
  return *this;
}

void Socket::close() {
  if (handle_ != kNone) ::close(static_cast<int>(handle_));
  handle_ = kNone;
}

void Socket::wait_for_any(std::span<Awaited> all, u32 milliseconds) {
  std::vector<pollfd> asked;
  for (const Awaited& one : all) {
    asked.push_back({.fd = static_cast<int>(one.socket->handle_),
                     .events = static_cast<short>(one.to_write ? POLLOUT : POLLIN),
                     .revents = 0});
  }
  const bool any = poll(asked.data(), asked.size(), static_cast<int>(milliseconds)) > 0;
  for (usize i = 0; i < all.size(); ++i) all[i].is_ready = any && asked[i].revents != 0;
}

Socket Socket::accept() const {
  return Socket(accept4(static_cast<int>(handle_), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

std::string Socket::read(usize most) const {
  std::string bytes(most, '\0');
  const ssize_t got = recv(static_cast<int>(handle_), bytes.data(), most, 0);
  bytes.resize(got > 0 ? static_cast<usize>(got) : 0);
  return bytes;
}

std::optional<usize> Socket::write(std::string_view bytes) const {
  const ssize_t sent = send(static_cast<int>(handle_), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<usize>(sent);
  return errno == EAGAIN || errno == EINTR ? std::optional<usize>(0) : std::nullopt;
}

diag::Result<Listening> listen_at(const std::string& host, u16 port) {
  sockaddr_storage address{};
  socklen_t size = 0;
  auto* const four = reinterpret_cast<sockaddr_in*>(&address);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&address);
  if (inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    size = sizeof *four;
  } else if (inet_pton(AF_INET6, host.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    size = sizeof *six;
  } else {
    return diag::usage_error("'" + host + "' is not an address of this machine",
                             "use a numeric address, such as 127.0.0.1:9464");
  }
  const std::string where = host + ":" + std::to_string(port);
  const int handle = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (handle < 0) return diag::system_error("cannot create a socket for " + where, errno);
  Listening listening{.socket = Socket(handle)};
  const int on = 1;
  setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  constexpr int kWaiting = 16;
  if (bind(handle, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(handle, kWaiting) != 0) {
    return diag::system_error("cannot listen on " + where, errno);
  }
  if (getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return diag::system_error("cannot listen on " + where, errno);
  }
  listening.port = ntohs(address.ss_family == AF_INET ? four->sin_port : six->sin6_port);
  return listening;
}

}  // namespace wperf::os
