// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/terminal_settings_linux.h"

#include <unistd.h>

namespace wperf::live {

TerminalSettings::TerminalSettings(int stream) : stream_(stream) {
  termios now{};
  if (::tcgetattr(stream, &now) == 0) before_ = now;
}

// A background process must not restore them: it would be stopped, and the terminal belongs to another process.
TerminalSettings::~TerminalSettings() {
  termios now{};
  if (!before_ || ::tcgetpgrp(stream_) != ::getpgrp() || ::tcgetattr(stream_, &now) != 0) return;
  if (now.c_lflag != before_->c_lflag || now.c_iflag != before_->c_iflag) ::tcsetattr(stream_, TCSANOW, &*before_);
}

}  // namespace wperf::live
