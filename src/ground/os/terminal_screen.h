// SPDX-License-Identifier: BSD-3-Clause
// The terminal of a program that paints all of its screen: keys as they are pressed, and what it was before when it is
// over, however that comes. At most one at a time. Called by live_screen.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

class TerminalScreen {
 public:
  // `enter` and `leave` are what the terminal gets then and at the end, also where a signal or a crash is that; they
  // are kept. An error: stdin and stdout are not both a terminal that takes escape sequences.
  static diag::Result<TerminalScreen> open(const char* enter, const char* leave);
  TerminalScreen(TerminalScreen&& other) noexcept : is_open_(other.is_open_) { other.is_open_ = false; }
  TerminalScreen& operator=(TerminalScreen&&) = delete;
  ~TerminalScreen();

  struct Size {
    u32 columns = 0, lines = 0;
    bool operator==(const Size&) const = default;
  };
  Size size() const;
  // What was typed. Empty: nothing for so long, or the size may have changed.
  std::string read(u32 timeout_ms);
  // Nobody is there to type any more.
  bool has_ended() const { return has_ended_; }
  void write(std::string_view text);
  // As Ctrl-Z asks for: the shell has the terminal until it gives it back. Where there is no such shell, nothing.
  void suspend();

 private:
  TerminalScreen() = default;
  bool is_open_ = true;
  bool has_ended_ = false;
};

}  // namespace wperf::os
