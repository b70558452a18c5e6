// SPDX-License-Identifier: BSD-3-Clause
// The terminal of stdout and stderr.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

// Is this stream a terminal that understands escape sequences? On Windows asking makes it so, until the process ends.
bool prepare_terminal(std::FILE* stream);
// Characters in a line of it; 0 if it is not a terminal, or does not say.
unsigned terminal_width(std::FILE* stream);
// Lines of it; 0 likewise.
unsigned terminal_height(std::FILE* stream);
// UTF-8 text to a terminal, file or pipe, at once. Lines end in LF and are written in the system's form: a Windows file
// or pipe gets CR LF, a Windows console the characters whatever its code page. 0, or the errno of the failure.
int write_text(std::FILE* stream, std::string_view text);
// The same for bytes, unchanged. The stream must not be used for text as well.
int write_bytes(std::FILE* stream, std::string_view bytes);

// Long text for a person at a terminal, screen by screen.

// The command that shows text in pages: WPERF_PAGER, or PAGER, or less if it is installed. Empty if text is shown
// without a pager (also if one of these is empty or `cat`).
std::string pager_command();
// Shows the text and waits until the reader has seen enough. False: the command could not be run, nothing was shown.
bool show_in_pager(const std::string& command, std::string_view text);

// For this room.
bool has_less();

// The terminal of a program that paints all of its screen: keys as they are pressed, and its former state restored at
// the end, in whichever way the program ends. At most one at a time.
class TerminalScreen {
 public:
  // The terminal gets `enter` at the beginning and `leave` at the end, also after a signal or a crash; the pointers are
  // kept. An error: stdin and stdout are not both a terminal that takes escape sequences.
  static diag::Result<TerminalScreen> open(const char* enter, const char* leave);
  TerminalScreen(TerminalScreen&& other) noexcept : is_open_(other.is_open_) { other.is_open_ = false; }
  TerminalScreen& operator=(TerminalScreen&&) = delete;
  ~TerminalScreen();

  struct Size {
    u32 columns = 0, lines = 0;
    bool operator==(const Size&) const = default;
  };
  Size size() const;
  // The typed characters. Empty if none were typed for so long, or if the size may have changed.
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
