// SPDX-License-Identifier: BSD-3-Clause
// The line to the NT host in the emulated machine: a TCP connection that carries the frames of
// tests/nthost/server/protocol.h. Used from the single thread in which Wine runs a driver.
#pragma once
#include "tests/nthost/server/protocol.h"

namespace wperf::bridge {

class HostLine {
 public:
  // Connects to 127.0.0.1 and waits until the host answers. Returns false if there is no host, or if it has another
  // version.
  bool open(wperf_u16 port);
  void close();

  // Sends the frame and its `frame.input` bytes, receives at most `frame.capacity` bytes into `output`. `input` and
  // `output` may be the same memory. Returns false if the connection is lost; it stays lost.
  bool ask(const nthost::Frame& frame, const void* input, void* output, nthost::Answer& answer);

 private:
  bool send_all(const void* bytes, wperf_u32 size);
  bool receive_all(void* bytes, wperf_u32 size);

  wperf_u64 socket_ = ~wperf_u64{0};
  bool alive_ = false;
};

}  // namespace wperf::bridge
