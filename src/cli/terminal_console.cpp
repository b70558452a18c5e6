// SPDX-License-Identifier: BSD-3-Clause
#include "cli/terminal_console.h"

#include <cstdio>

#include "os/process.h"
#include "os/terminal.h"

namespace wperf::cli {

TerminalConsole::TerminalConsole(bool quiet) : quiet_(quiet), animated_(!quiet && os::prepare_terminal(stdout)) {}

void TerminalConsole::out(std::string_view text) {
  if (!quiet_) os::write_text(stdout, text);
}

void TerminalConsole::document(std::string_view text) {
  os::write_text(stdout, text);
}

void TerminalConsole::warn(std::string_view line) {
  os::write_text(stderr, line);
  os::write_text(stderr, "\n");
}

unsigned TerminalConsole::width() const {
  return os::terminal_width(stdout);
}

bool TerminalConsole::interrupted() const {
  return os::interrupted();
}

}  // namespace wperf::cli
