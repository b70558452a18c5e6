// SPDX-License-Identifier: BSD-3-Clause
#include <io.h>
#include <windows.h>

#include <atomic>
#include <filesystem>

#include "os/process.h"

namespace wperf::os {
namespace {

std::atomic<int> interrupts_seen{0};

BOOL WINAPI on_console_event(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  return interrupts_seen.fetch_add(1) == 0 ? TRUE : FALSE;  // FALSE: the default handler ends the process
}

}  // namespace

std::string program_folder() {
  wchar_t path[32768];
  const DWORD length = GetModuleFileNameW(nullptr, path, 32768);
  if (length == 0 || length == 32768) return {};
  const std::u8string folder = std::filesystem::path(path, path + length).parent_path().u8string();
  return {folder.begin(), folder.end()};
}

unsigned process_number() {
  return GetCurrentProcessId();
}

std::string symbol_cache_folder() {
  const auto local = environment("LOCALAPPDATA");
  return local.has_value() ? *local + "\\wperf\\symbols" : std::string();
}

bool is_terminal(std::FILE* stream) {
  return _isatty(_fileno(stream)) != 0;
}

void catch_interrupt() {
  SetConsoleCtrlHandler(on_console_event, TRUE);
}

bool interrupted() {
  return interrupts_seen.load() > 0;
}

}  // namespace wperf::os
