// SPDX-License-Identifier: BSD-3-Clause
// The terminal of stdout and stderr.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

// Is this stream a terminal that understands escape sequences? On Windows this call also enables them until the process
// ends.
bool prepare_terminal(std::FILE* stream);
// Characters per line; 0 if it is not a terminal, or if its size is unknown.
unsigned terminal_width(std::FILE* stream);
// Number of lines; 0 if it is not a terminal, or if its size is unknown.
unsigned terminal_height(std::FILE* stream);
// Writes UTF-8 text to a terminal, file or pipe immediately. Lines end in LF and are converted to the system's form: a
// Windows file or pipe gets CR LF, and a Windows console gets the characters regardless of its code page. Returns 0, or
// the errno of the failure.
int write_text(std::FILE* stream, std::string_view text);
// Whether the stream is a pipe that nobody reads any more.
bool has_lost_reader(std::FILE* stream);
// Writes bytes unchanged. The stream must not be used for text as well.
int write_bytes(std::FILE* stream, std::string_view bytes);

// Long text for a person at a terminal, screen by screen.

// The pager's command: WPERF_PAGER, otherwise PAGER, otherwise less if it is installed. Empty if no pager is to be
// used, for example if the variable is empty or `cat`.
std::string pager_command();
// Shows the text and waits until the reader quits. Returns false if the command could not be run and nothing was shown.
bool show_in_pager(const std::string& command, std::string_view text);

// For the implementations of this room only.
bool has_less();

// The terminal of a program that paints the whole screen. It delivers each key as it is pressed, and its former state
// is restored however the program ends. Only one can exist at a time.
class TerminalScreen {
 public:
  // Writes `enter` to the terminal at the beginning and `leave` at the end, even after a signal or a crash; both
  // pointers must stay valid. Returns an error unless stdin and stdout are a terminal that understands escape
  // sequences.
  static diag::Result<TerminalScreen> open(const char* enter, const char* leave);
  TerminalScreen(TerminalScreen&& other) noexcept : is_open_(other.is_open_) { other.is_open_ = false; }
  TerminalScreen& operator=(TerminalScreen&&) = delete;
  ~TerminalScreen();

  struct Size {
    u32 columns = 0, lines = 0;
    bool operator==(const Size&) const = default;
  };
  Size size() const;
  // The typed characters. Empty if nothing was typed within the time, or if the window's size may have changed.
  std::string read(u32 timeout_ms);
  // The terminal was closed.
  bool has_ended() const { return has_ended_; }
  void write(std::string_view text);
  // For Ctrl-Z: stops this program and returns the terminal to the shell until the shell continues it. Does nothing if
  // there is no such shell.
  void suspend();

 private:
  TerminalScreen() = default;
  bool is_open_ = true;
  bool has_ended_ = false;
};

}  // namespace wperf::os
