// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/arguments.h"

namespace wperf::devgen {

CommandLine parse_command_line(std::span<const std::string> words) {
  if (words.size() == 2 && words[0] == "install" && words[1] == "--service") {
    return {.command = Command::install_service, .word = words[0]};
  }
  if (words.size() != 1) return {};
  const std::string& word = words[0];
  if (word == "-h" || word == "--help") return {.command = Command::help, .word = word};
  if (word == "--version") return {.command = Command::version, .word = word};
  if (word == "install") return {.command = Command::install, .word = word};
  if (word == "uninstall") return {.command = Command::uninstall, .word = word};
  if (word == "status") return {.command = Command::status, .word = word};
  return {.command = Command::unknown, .word = word};
}

std::string header_text(const char* version, const char* git, const char* build) {
  return std::string("WindowsPerf-DevGen ver. ") + version + " (" + git + "/" + build +
         ") WindowsPerf's Kernel Driver Installer.\n"
         "Report bugs to: the issue tracker of the place this wperf came from\n";
}

std::string usage_text() {
  return "\n"
         "usage: wperf-devgen [-h] [--version] COMMAND\n"
         "\n"
         "  install            install the driver that is next to this program, or in the current directory\n"
         "  install --service  install it as a plain service, without a device: for a driver without a signed catalog\n"
         "  uninstall          remove device, service and driver package\n"
         "  status             show what is installed, what Windows still needs and what to do next;\n"
         "                     exit status 0: installed and running, 1: not\n"
         "\n"
         "  -h, --help         show this text\n"
         "  --version          show the version\n"
         "\n"
         "install and uninstall need a console that runs as administrator. On failure the exit status is the error\n"
         "number of Windows.\n";
}

}  // namespace wperf::devgen
