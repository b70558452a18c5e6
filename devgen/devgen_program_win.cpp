// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>
// Comes after windows.h, which it needs.
#include <shellapi.h>

#include <vector>

#include "devgen/arguments.h"
#include "devgen/devgen_program.h"
#include "devgen/installer.h"
#include "devgen/setup_status.h"
#include "devgen/windows_machine.h"
#include "ground/os/wide_text_win.h"
#include "wperf_version.h"

namespace wperf::devgen {
namespace {

constexpr int kUsageError = -1;

// Lines end in CR LF, also in a file or pipe. A console gets UTF-16; files and pipes get UTF-8.
void write(DWORD stream, const std::string& text) {
  std::string lines;
  for (const char letter : text) {
    if (letter == '\n') lines += '\r';
    lines += letter;
  }
  const HANDLE handle = GetStdHandle(stream);
  DWORD mode = 0;
  DWORD done = 0;
  if (GetConsoleMode(handle, &mode)) {
    const std::wstring wide = os::wide_of(lines);
    WriteConsoleW(handle, wide.data(), static_cast<DWORD>(wide.size()), &done, nullptr);
  } else {
    WriteFile(handle, lines.data(), static_cast<DWORD>(lines.size()), &done, nullptr);
  }
}

class StandardStreams : public Console {
 public:
  void out(const std::string& line) override { write(STD_OUTPUT_HANDLE, line + "\n"); }
  void err(const std::string& line) override { write(STD_ERROR_HANDLE, line + "\n"); }
};

std::vector<std::string> command_words() {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> result;
  for (int index = 1; words != nullptr && index < count; ++index) result.push_back(os::utf8_of(words[index]));
  LocalFree(words);
  return result;
}

}  // namespace

int run_program() {
  const auto words = command_words();
  const CommandLine line = parse_command_line(words);
  const std::string header = header_text(kVersion, kGitVersion, kBuildType);
  StandardStreams console;
  switch (line.command) {
    case Command::usage:
    case Command::help:
      write(STD_OUTPUT_HANDLE, header + usage_text());
      return line.command == Command::help ? 0 : kUsageError;
    case Command::version:
      write(STD_OUTPUT_HANDLE, header);
      return 0;
    default:
      break;
  }
  WindowsMachine machine;
  if (line.command == Command::status) return show_status(machine, console, kVersion);
  catch_interrupt();
  console.out("Executing command: " + line.word + ".");
  switch (line.command) {
    case Command::install:
      return static_cast<int>(install(machine, console, InstallWay::device));
    case Command::install_service:
      return static_cast<int>(install(machine, console, InstallWay::plain_service));
    case Command::uninstall:
      return static_cast<int>(uninstall(machine, console));
    default:
      console.err("Unrecognized command " + line.word + ".");
      return kUsageError;
  }
}

}  // namespace wperf::devgen
