// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include "os/terminal.h"

namespace wperf::os {

bool prepare_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

void write_text(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace wperf::os
