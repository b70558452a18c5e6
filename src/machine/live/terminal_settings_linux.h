// SPDX-License-Identifier: BSD-3-Clause
// The settings of a terminal that a program on a machine may change: the machine restores them when the program ends,
// and its client restores them if the machine is gone.
#pragma once
#include <termios.h>

#include <optional>

namespace wperf::live {

// If the stream is a terminal, the constructor saves its settings and the destructor restores them.
class TerminalSettings {
 public:
  explicit TerminalSettings(int stream);
  ~TerminalSettings();
  TerminalSettings(const TerminalSettings&) = delete;
  TerminalSettings& operator=(const TerminalSettings&) = delete;

 private:
  int stream_;
  std::optional<termios> before_;
};

}  // namespace wperf::live
