// SPDX-License-Identifier: BSD-3-Clause
#include <sys/ioctl.h>
#include <unistd.h>

#include "os/terminal.h"

namespace wperf::os {

bool prepare_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

unsigned terminal_width(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0u;
}

void write_text(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace wperf::os
