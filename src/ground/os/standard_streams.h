// SPDX-License-Identifier: BSD-3-Clause
// Takes stdin and stdout for a program that speaks a protocol over them.
#pragma once
#include <cstdio>

namespace wperf::os {

struct TakenStreams {
  std::FILE* in;
  std::FILE* out;
};
// Returns both streams as binary streams for this program only. From then on stdin is empty and stdout is stderr, also
// in programs that this program starts, so no other output can get between the messages. Called once; the streams stay
// open.
TakenStreams take_standard_streams();

}  // namespace wperf::os
