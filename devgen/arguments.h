// SPDX-License-Identifier: BSD-3-Clause
// argv of wperf-devgen, and its texts about itself.
#pragma once
#include <span>
#include <string>

namespace wperf::devgen {

enum class Command { usage, help, version, install, install_service, uninstall, status, unknown };

struct CommandLine {
  Command command = Command::usage;
  std::string word;  // the command as it was given
};

// words: argv without the program.
CommandLine parse_command_line(std::span<const std::string> words);

// Two lines: the installer's version and the address for bug reports.
std::string header_text(const char* version, const char* git, const char* build);
std::string usage_text();

}  // namespace wperf::devgen
