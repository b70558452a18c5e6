// SPDX-License-Identifier: BSD-3-Clause
// The terminal of stdout and stderr.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

// Is this stream a terminal that understands escape sequences? On Windows this call also turns that on, until the
// process ends.
bool prepare_terminal(std::FILE* stream);
// Characters per line; 0 if it is not a terminal, or if its size is unknown.
unsigned terminal_width(std::FILE* stream);
// Number of lines; 0 likewise.
unsigned terminal_height(std::FILE* stream);
// UTF-8 text to a terminal, file or pipe, at once. Lines end in LF and are written in the system's form: a Windows file
// or pipe gets CR LF, and a Windows console gets the characters regardless of its code page. Returns 0, or the errno of
// the failure.
int write_text(std::FILE* stream, std::string_view text);
// The same for bytes, unchanged. The stream must not be used for text as well.
int write_bytes(std::FILE* stream, std::string_view bytes);

// Long text for a person at a terminal, screen by screen.

// The command that shows text in pages: WPERF_PAGER, or PAGER, or less if it is installed. Empty if text is shown
// without a pager (also if a variable is empty or `cat`).
std::string pager_command();
// Shows the text and waits until the reader quits. Returns false if the command could not be run and nothing was shown.
bool show_in_pager(const std::string& command, std::string_view text);

// For this room.
bool has_less();

// The terminal of a program that paints the whole screen: keys as they are pressed, and the former state restored at
// the end, however the program ends. At most one at a time.
class TerminalScreen {
 public:
  // The terminal gets `enter` at the beginning and `leave` at the end, even after a signal or a crash; the pointers are
  // kept. An error if stdin and stdout are not both a terminal that understands escape sequences.
  static diag::Result<TerminalScreen> open(const char* enter, const char* leave);
  TerminalScreen(TerminalScreen&& other) noexcept : is_open_(other.is_open_) { other.is_open_ = false; }
  TerminalScreen& operator=(TerminalScreen&&) = delete;
  ~TerminalScreen();

  struct Size {
    u32 columns = 0, lines = 0;
    bool operator==(const Size&) const = default;
  };
  Size size() const;
  // The typed characters. Empty if nothing was typed in that time, or if the size may have changed.
  std::string read(u32 timeout_ms);
  // The terminal was closed.
  bool has_ended() const { return has_ended_; }
  void write(std::string_view text);
  // For Ctrl-Z: gives the terminal to the shell until the shell gives it back. Does nothing without such a shell.
  void suspend();

 private:
  TerminalScreen() = default;
  bool is_open_ = true;
  bool has_ended_ = false;
};

}  // namespace wperf::os
