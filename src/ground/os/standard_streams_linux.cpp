// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include "ground/os/standard_streams.h"

namespace wperf::os {

TakenStreams take_standard_streams() {
  const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (const int none = open("/dev/null", O_RDONLY | O_CLOEXEC); none >= 0) {
    dup2(none, STDIN_FILENO);
    close(none);
  }
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return {.in = in >= 0 ? fdopen(in, "r") : stdin, .out = out >= 0 ? fdopen(out, "w") : stdout};
}

}  // namespace wperf::os
