// SPDX-License-Identifier: BSD-3-Clause
#include "cli/terminal_console.h"

#include <cstdio>

#include "os/process.h"

namespace wperf::cli {
namespace {

void write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);  // progress and warnings must appear in the order they happen
}

}  // namespace

TerminalConsole::TerminalConsole(bool quiet) : quiet_(quiet), animated_(!quiet && os::is_terminal(stdout)) {}

void TerminalConsole::out(std::string_view text) {
  if (!quiet_) write(stdout, text);
}

void TerminalConsole::document(std::string_view text) {
  write(stdout, text);
}

void TerminalConsole::warn(std::string_view line) {
  write(stderr, line);
  write(stderr, "\n");
}

bool TerminalConsole::interrupted() const {
  return os::interrupted();
}

}  // namespace wperf::cli
