// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include <cstdio>

#include "ground/os/terminal.h"
#include "ground/os/terminal_screen.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

HANDLE input = nullptr;
DWORD input_mode = 0;
const char* leave_text = "";
wchar_t high_surrogate = 0;  // the low one comes with the next event

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
    return diag::Error{.text = "a live display needs a console on both stdin and stdout",
                       .hint = "use `wperf top --once` to print one look",
                       .code = diag::ExitCode::usage};
  }
  // Ctrl-C is a key then, and arrows come as the sequences that other systems have.
  DWORD raw = input_mode & ~static_cast<DWORD>(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT |
                                               ENABLE_QUICK_EDIT_MODE | ENABLE_MOUSE_INPUT);
  raw |= ENABLE_VIRTUAL_TERMINAL_INPUT | ENABLE_EXTENDED_FLAGS;
  if (SetConsoleMode(input, raw) == 0) {
    return diag::Error{.text = "a live display needs the console of Windows 10 or later",
                       .hint = "use `wperf top --once` to print one look",
                       .code = diag::ExitCode::usage};
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
