// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "os/sockets.h"

namespace wperf::os {
namespace {

bool wait_for(std::intptr_t handle, short what, u32 milliseconds) {
  pollfd asked{.fd = static_cast<int>(handle), .events = what, .revents = 0};
  return poll(&asked, 1, static_cast<int>(milliseconds)) > 0;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  close();
  std::swap(handle_, other.handle_);
  return *this;
}

void Socket::close() {
  if (handle_ != kNone) ::close(static_cast<int>(handle_));
  handle_ = kNone;
}

bool Socket::wait(u32 milliseconds) const {
  return wait_for(handle_, POLLIN, milliseconds);
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

bool Socket::write(std::string_view bytes, u32 milliseconds) const {
  constexpr u32 kStepMs = 100;
  for (u32 waited = 0; !bytes.empty();) {
    const ssize_t sent = send(static_cast<int>(handle_), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<usize>(sent));
    } else if (errno != EAGAIN || waited >= milliseconds) {
      return false;
    } else if (!wait_for(handle_, POLLOUT, kStepMs)) {
      waited += kStepMs;
    }
  }
  return true;
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
    return diag::Error{.text = "'" + host + "' is no address of this machine",
                       .hint = "a number, as in 127.0.0.1:9464",
                       .code = diag::ExitCode::usage};
  }
  const std::string where = host + ":" + std::to_string(port);
  const int handle = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (handle < 0) return diag::system_error("no socket for " + where, errno);
  Listening listening{.socket = Socket(handle)};
  const int on = 1;
  setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  constexpr int kWaiting = 16;
  if (bind(handle, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(handle, kWaiting) != 0) {
    return diag::system_error("cannot listen at " + where, errno);
  }
  if (getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return diag::system_error("cannot listen at " + where, errno);
  }
  listening.port = ntohs(address.ss_family == AF_INET ? four->sin_port : six->sin6_port);
  return listening;
}

}  // namespace wperf::os
