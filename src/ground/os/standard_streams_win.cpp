// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <io.h>

#include "ground/os/standard_streams.h"

namespace wperf::os {
namespace {

constexpr int kIn = 0, kOut = 1, kError = 2;

}  // namespace

TakenStreams take_standard_streams() {
  const int in = _dup(kIn), out = _dup(kOut);
  if (const int none = _open("NUL", _O_RDONLY | _O_BINARY); none >= 0) {
    _dup2(none, kIn);
    _close(none);
  }
  _dup2(kError, kOut);
  if (in >= 0) _setmode(in, _O_BINARY);
  if (out >= 0) _setmode(out, _O_BINARY);
  return {.in = in >= 0 ? _fdopen(in, "rb") : stdin, .out = out >= 0 ? _fdopen(out, "wb") : stdout};
}

}  // namespace wperf::os
