// SPDX-License-Identifier: BSD-3-Clause
// winsock2.h must come before windows.h.
#include <winsock2.h>
#include <ws2tcpip.h>

#include <algorithm>
#include <utility>

#include "ground/os/sockets.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

struct Winsock {
  decltype(&WSAStartup) start_up = nullptr;
  decltype(&WSAGetLastError) last_error = nullptr;
  decltype(&::socket) make = nullptr;
  decltype(&::bind) bind = nullptr;
  decltype(&::listen) listen = nullptr;
  decltype(&::accept) accept = nullptr;
  decltype(&::closesocket) close = nullptr;
  decltype(&::getsockname) name = nullptr;
  decltype(&::recv) receive = nullptr;
  decltype(&::send) send = nullptr;
  decltype(&::select) select = nullptr;
  decltype(&::ioctlsocket) control = nullptr;
  decltype(&::setsockopt) set_option = nullptr;
  bool complete = false;
};

const Winsock& winsock() {
  static const Winsock loaded = [] {
    Winsock to;
    const SystemLibrary library(L"ws2_32.dll");
    WSADATA data{};
    to.complete = library.bind("WSAStartup", to.start_up) && library.bind("WSAGetLastError", to.last_error) &&
                  library.bind("socket", to.make) && library.bind("bind", to.bind) &&
                  library.bind("listen", to.listen) && library.bind("accept", to.accept) &&
                  library.bind("closesocket", to.close) && library.bind("getsockname", to.name) &&
                  library.bind("recv", to.receive) && library.bind("send", to.send) &&
                  library.bind("select", to.select) && library.bind("ioctlsocket", to.control) &&
                  library.bind("setsockopt", to.set_option) && to.start_up(MAKEWORD(2, 2), &data) == 0;
    return to;
  }();
  return loaded;
}

u16 swapped(u16 port) {
  return static_cast<u16>(port << 8 | port >> 8);
}

// A numeric IPv4 address, or ::1 or :: for IPv6.
bool address_of(const std::string& host, u16 port, sockaddr_storage& address, int& size) {
  auto* const four = reinterpret_cast<sockaddr_in*>(&address);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&address);
  if (host == "::1" || host == "::") {
    six->sin6_family = AF_INET6;
    six->sin6_port = swapped(port);
    six->sin6_addr.s6_addr[15] = host == "::1" ? 1 : 0;
    size = sizeof *six;
    return true;
  }
  unsigned parts[4] = {}, count = 0;
  bool has_digit = false;
  for (const char c : host) {
    if (c == '.' && has_digit && count < 3) {
      ++count;
      has_digit = false;
    } else if (c >= '0' && c <= '9' && parts[count] <= 25) {
      parts[count] = parts[count] * 10 + static_cast<unsigned>(c - '0');
      has_digit = true;
    } else {
      return false;
    }
  }
  if (count != 3 || !has_digit) return false;
  four->sin_family = AF_INET;
  four->sin_port = swapped(port);
  auto* const bytes = reinterpret_cast<unsigned char*>(&four->sin_addr);
  for (unsigned i = 0; i < 4; ++i) {
    if (parts[i] > 255) return false;
    bytes[i] = static_cast<unsigned char>(parts[i]);
  }
  size = sizeof *four;
  return true;
}

diag::Error failure(const std::string& text) {
  return {.text = text + ": " + system_error_text(static_cast<unsigned long>(winsock().last_error())), .hint = {}};
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  close();
  std::swap(handle_, other.handle_);
  return *this;
}

void Socket::close() {
  if (handle_ != kNone) winsock().close(static_cast<SOCKET>(handle_));
  handle_ = kNone;
}

void Socket::wait_for_any(std::span<Awaited> all, u32 milliseconds) {
  fd_set readable{}, writable{};
  for (const Awaited& one : all) {
    fd_set& set = one.to_write ? writable : readable;
    if (set.fd_count < FD_SETSIZE) set.fd_array[set.fd_count++] = static_cast<SOCKET>(one.socket->handle_);
  }
  timeval time{.tv_sec = static_cast<long>(milliseconds / 1000),
               .tv_usec = static_cast<long>(milliseconds % 1000) * 1000};
  const bool any = winsock().select(0, &readable, &writable, nullptr, &time) > 0;
  for (Awaited& one : all) {
    const fd_set& set = one.to_write ? writable : readable;
    const SOCKET* const end = set.fd_array + set.fd_count;
    one.is_ready = any && std::find(set.fd_array, end, static_cast<SOCKET>(one.socket->handle_)) != end;
  }
}

Socket Socket::accept() const {
  const SOCKET accepted = winsock().accept(static_cast<SOCKET>(handle_), nullptr, nullptr);
  if (accepted == INVALID_SOCKET) return {};
  u_long on = 1;
  winsock().control(accepted, static_cast<long>(FIONBIO), &on);
  return Socket(static_cast<std::intptr_t>(accepted));
}

std::string Socket::read(usize most) const {
  std::string bytes(most, '\0');
  const int got = winsock().receive(static_cast<SOCKET>(handle_), bytes.data(), static_cast<int>(most), 0);
  bytes.resize(got > 0 ? static_cast<usize>(got) : 0);
  return bytes;
}

std::optional<usize> Socket::write(std::string_view bytes) const {
  const int sent = winsock().send(static_cast<SOCKET>(handle_), bytes.data(), static_cast<int>(bytes.size()), 0);
  if (sent >= 0) return static_cast<usize>(sent);
  return winsock().last_error() == WSAEWOULDBLOCK ? std::optional<usize>(0) : std::nullopt;
}

diag::Result<Listening> listen_at(const std::string& host, u16 port) {
  const Winsock& net = winsock();
  if (!net.complete) return diag::Error{.text = "cannot initialize ws2_32.dll", .hint = {}};
  sockaddr_storage address{};
  int size = 0;
  if (!address_of(host, port, address, size)) {
    return diag::usage_error("'" + host + "' is not an address of this machine",
                             "use a numeric address, such as 127.0.0.1:9464");
  }
  const std::string where = host + ":" + std::to_string(port);
  const SOCKET handle = net.make(address.ss_family, SOCK_STREAM, 0);
  if (handle == INVALID_SOCKET) return failure("cannot create a socket for " + where);
  Listening listening{.socket = Socket(static_cast<std::intptr_t>(handle))};
  // No other program may use the same port.
  const BOOL on = 1;
  net.set_option(handle, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, reinterpret_cast<const char*>(&on), sizeof on);
  u_long unblocked = 1;
  constexpr int kWaiting = 16;
  if (net.control(handle, static_cast<long>(FIONBIO), &unblocked) != 0 ||
      net.bind(handle, reinterpret_cast<const sockaddr*>(&address), size) != 0 || net.listen(handle, kWaiting) != 0 ||
      net.name(handle, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return failure("cannot listen on " + where);
  }
  listening.port = swapped(address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&address)->sin_port
                                                        : reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return listening;
}

}  // namespace wperf::os
