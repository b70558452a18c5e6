// SPDX-License-Identifier: BSD-3-Clause
// The terminal of a program that paints all of its screen: keys as they are pressed, and its former state restored at
// the end, in whichever way the program ends. At most one at a time.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

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
