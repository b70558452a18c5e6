// SPDX-License-Identifier: BSD-3-Clause
// The machine's end of a client's connection: bytes that arrived and bytes to be sent.
#pragma once
#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "machine/live/messages.h"
#include "machine/live/socket_place_linux.h"

namespace wperf::live {

inline constexpr size_t kStreams = 3;  // descriptors that come with a program

struct ClientSocket {
  Descriptor socket;
  std::string in, out;
  std::vector<Descriptor> descriptors;
  bool gone = false;

  void receive() {
    constexpr size_t kStep = 1u << 16;
    const size_t before = in.size();
    in.resize(before + kStep);
    const long got = receive_some(socket.number(), in.data() + before, kStep, descriptors);
    in.resize(before + static_cast<size_t>(std::max(got, 0L)));
    if (got == 0 || (got < 0 && errno != EAGAIN) || in.size() > kMostBytes + sizeof(Header)) gone = true;
    if (descriptors.size() > kStreams) descriptors.resize(kStreams);
  }
  void send() {
    if (out.empty()) return;
    const long sent = send_some(socket.number(), out, {});
    if (sent < 0 && errno != EAGAIN) gone = true;
    out.erase(0, static_cast<size_t>(std::max(sent, 0L)));
  }
};

}  // namespace wperf::live
