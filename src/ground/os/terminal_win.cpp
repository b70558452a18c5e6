// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
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

// Null for a file, a pipe or a missing handle.
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

bool has_lost_reader(std::FILE* /*stream*/) {
  return false;  // on Windows only a failed write shows it
}

int write_bytes(std::FILE* stream, std::string_view bytes) {
  std::fflush(stream);
  _setmode(_fileno(stream), _O_BINARY);
  errno = 0;
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size() && std::fflush(stream) == 0;
  return whole ? 0 : errno != 0 ? errno : EIO;
}

// less of Git for Windows is not on PATH, and `more` can neither show colours nor scroll back.
bool has_less() {
  return false;
}

bool show_in_pager(const std::string& command, std::string_view text) {
  if (std::getenv("LESS") == nullptr) _putenv("LESS=FRX");
  std::FILE* pager = _popen(command.c_str(), "wb");
  if (pager == nullptr) return false;
  std::fwrite(text.data(), 1, text.size(), pager);
  constexpr int kNotFound = 1;  // cmd's exit code for an unknown command; some pagers return it, too
  return _pclose(pager) != kNotFound;
}

namespace {

HANDLE input = nullptr;
DWORD input_mode = 0;
const char* leave_text = "";
wchar_t high_surrogate = 0;  // the low surrogate comes with the next event

void restore() {
  write_text(stdout, leave_text);
  SetConsoleMode(input, input_mode);
}

LONG WINAPI on_crash(EXCEPTION_POINTERS*) {
  restore();
  return EXCEPTION_CONTINUE_SEARCH;
}

void append_typed(std::wstring& typed, const INPUT_RECORD& record) {
  if (record.EventType != KEY_EVENT || record.Event.KeyEvent.bKeyDown == 0) return;
  const wchar_t unit = record.Event.KeyEvent.uChar.UnicodeChar;
  if (unit == 0) return;
  if (unit >= 0xd800 && unit < 0xdc00) {
    high_surrogate = unit;
    return;
  }
  if (high_surrogate != 0) typed += high_surrogate;
  high_surrogate = 0;
  typed.append(record.Event.KeyEvent.wRepeatCount == 0 ? 1 : record.Event.KeyEvent.wRepeatCount, unit);
}

}  // namespace

diag::Result<TerminalScreen> TerminalScreen::open(const char* enter, const char* leave) {
  input = GetStdHandle(STD_INPUT_HANDLE);
  if (GetConsoleMode(input, &input_mode) == 0 || !prepare_terminal(stdout)) {
    return diag::usage_error("a live display needs a console on both stdin and stdout",
                             "use `wperf top --once` to sample once");
  }
  // In this mode Ctrl-C is a key, and arrow keys send the sequences of other systems.
  DWORD raw = input_mode & ~static_cast<DWORD>(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT |
                                               ENABLE_QUICK_EDIT_MODE | ENABLE_MOUSE_INPUT);
  raw |= ENABLE_VIRTUAL_TERMINAL_INPUT | ENABLE_EXTENDED_FLAGS;
  if (SetConsoleMode(input, raw) == 0) {
    return diag::usage_error("a live display needs the console of Windows 10 or later",
                             "use `wperf top --once` to sample once");
  }
  leave_text = leave;
  SetUnhandledExceptionFilter(on_crash);
  write_text(stdout, enter);
  return TerminalScreen();
}

TerminalScreen::~TerminalScreen() {
  if (!is_open_) return;
  restore();
  SetUnhandledExceptionFilter(nullptr);
}

TerminalScreen::Size TerminalScreen::size() const {
  return {terminal_width(stdout), terminal_height(stdout)};
}

std::string TerminalScreen::read(u32 timeout_ms) {
  const DWORD waited = WaitForSingleObject(input, timeout_ms);
  if (waited == WAIT_FAILED) has_ended_ = true;
  if (waited != WAIT_OBJECT_0) return {};
  INPUT_RECORD records[64];
  DWORD count = 0;
  if (ReadConsoleInputW(input, records, 64, &count) == 0) {
    has_ended_ = true;
    return {};
  }
  std::wstring typed;
  for (DWORD i = 0; i < count; ++i) append_typed(typed, records[i]);
  return utf8_of(typed);
}

void TerminalScreen::write(std::string_view text) {
  write_text(stdout, text);
}

void TerminalScreen::suspend() {}

}  // namespace wperf::os
