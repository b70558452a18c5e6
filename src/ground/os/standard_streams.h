// SPDX-License-Identifier: BSD-3-Clause
// stdin and stdout of a program that speaks a protocol over them.
#pragma once
#include <cstdio>

namespace wperf::os {

struct TakenStreams {
  std::FILE* in;
  std::FILE* out;
};
// Returns both streams, as bytes, for the use of this program. From now on stdin is empty and stdout is stderr, also
// for the programs that this one starts: nothing else can get between the messages. Called once; the streams stay open.
TakenStreams take_standard_streams();

}  // namespace wperf::os
