// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "ground/os/terminal.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

constexpr size_t kMostAtOnce = 16'000;  // older consoles refuse more than 64 KB in one call

struct ChangedMode {
  HANDLE console;
  DWORD mode;
};
ChangedMode changed_mode{nullptr, 0};

void restore_mode() {
  SetConsoleMode(changed_mode.console, changed_mode.mode);
}

// Null for a file, a pipe or nothing at all.
HANDLE console_of(std::FILE* stream, DWORD& mode) {
  const int file = _fileno(stream);
  if (file < 0) return nullptr;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
  return GetConsoleMode(handle, &mode) != 0 ? handle : nullptr;
}

bool is_low_surrogate(wchar_t c) {
  return c >= 0xdc00 && c <= 0xdfff;
}

}  // namespace

bool prepare_terminal(std::FILE* stream) {
  DWORD mode = 0;
  const HANDLE console = console_of(stream, mode);
  if (console == nullptr) return false;
  if ((mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0) return true;
  if (SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) == 0) return false;
  if (changed_mode.console == nullptr) {
    changed_mode = {console, mode};
    std::atexit(restore_mode);
  }
  return true;
}

unsigned terminal_width(std::FILE* stream) {
  DWORD mode = 0;
  const HANDLE console = console_of(stream, mode);
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (console == nullptr || GetConsoleScreenBufferInfo(console, &info) == 0) return 0;
  return static_cast<unsigned>(info.srWindow.Right - info.srWindow.Left + 1);
}

unsigned terminal_height(std::FILE* stream) {
  DWORD mode = 0;
  const HANDLE console = console_of(stream, mode);
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (console == nullptr || GetConsoleScreenBufferInfo(console, &info) == 0) return 0;
  return static_cast<unsigned>(info.srWindow.Bottom - info.srWindow.Top + 1);
}

int write_text(std::FILE* stream, std::string_view text) {
  DWORD mode = 0;
  const HANDLE console = console_of(stream, mode);
  if (console == nullptr) {
    errno = 0;
    const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
    return whole ? 0 : errno != 0 ? errno : EIO;
  }
  const std::wstring wide = wide_of(text);
  for (size_t at = 0; at < wide.size();) {
    size_t count = std::min(kMostAtOnce, wide.size() - at);
    if (at + count < wide.size() && is_low_surrogate(wide[at + count])) --count;
    DWORD written = 0;
    if (WriteConsoleW(console, wide.data() + at, static_cast<DWORD>(count), &written, nullptr) == 0) return EIO;
    at += count;
  }
  return 0;
}

int write_bytes(std::FILE* stream, std::string_view bytes) {
  std::fflush(stream);
  _setmode(_fileno(stream), _O_BINARY);
  errno = 0;
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size() && std::fflush(stream) == 0;
  return whole ? 0 : errno != 0 ? errno : EIO;
}

}  // namespace wperf::os
