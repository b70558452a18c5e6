// SPDX-License-Identifier: BSD-3-Clause
// Parses the arguments of wperf-devgen. Also has its help and version texts.
#pragma once
#include <span>
#include <string>

namespace wperf::devgen {

enum class Command { usage, help, version, install, install_service, uninstall, status, unknown };

struct CommandLine {
  Command command = Command::usage;
  std::string word;  // the command as the user wrote it
};

// words: argv without the program.
CommandLine parse_command_line(std::span<const std::string> words);

// Two lines: the installer's version and the address for bug reports.
std::string header_text(const char* version, const char* git, const char* build);
std::string usage_text();

}  // namespace wperf::devgen
