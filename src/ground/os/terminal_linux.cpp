// SPDX-License-Identifier: BSD-3-Clause
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "ground/os/terminal.h"

namespace wperf::os {

bool prepare_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

unsigned terminal_width(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0u;
}

unsigned terminal_height(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_row : 0u;
}

int write_text(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  return whole ? 0 : errno != 0 ? errno : EIO;
}

int write_bytes(std::FILE* stream, std::string_view bytes) {
  return write_text(stream, bytes);
}

}  // namespace wperf::os
