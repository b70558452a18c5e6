// SPDX-License-Identifier: BSD-3-Clause
// The standard streams of simulated programs: those of the host process, or three descriptors for one program, passed
// by a client of a machine that stays on. Passed descriptors never block the machine: the program waits instead.
#pragma once
#include <termios.h>

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/ints.h"

namespace wperf::sim {

class StandardStreams {
 public:
  // Input, output, error.
  static constexpr int kInput = 0, kOutput = 1, kError = 2;

  // The streams of this process. If `shown` is set, programs' output appears there. Each program reads the input from
  // its start, even if it is run again, because all bytes that were read are kept.
  explicit StandardStreams(bool shown) : shown_(shown) {}
  // Takes over the descriptors.
  explicit StandardStreams(const std::array<int, 3>& given);
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  // Reads input from `place` on. Returns 0 at the end of the input.
  usize read(u64 place, std::span<char> out) const;
  struct Written {
    usize bytes = 0;
    int error = 0;  // the errno if the stream takes no more bytes; 0 and fewer bytes: it has no room now
  };
  Written write(int stream, std::span<const char> bytes) const;
  bool is_terminal(int stream) const;
  // The columns and rows of a terminal.
  std::pair<u16, u16> window(int stream) const;
  bool is_shown() const { return shown_; }
  // The input mode of the console, with the bits of Windows. A passed terminal follows it: whole lines or single keys,
  // shown or not. The destructor restores the terminal.
  u32 input_mode() const { return input_mode_; }
  void set_input_mode(u32 mode);
  bool reads_lines() const { return (input_mode_ & kLineInput) != 0; }
  // Whether a read or write can proceed now. The streams of this process are always ready, because the machine's time
  // stands still while one blocks.
  bool is_ready(int stream) const;

 private:
  static constexpr u32 kLineInput = 2, kEchoInput = 4, kUsualMode = 0x1f7;  // as in a new console

  bool given_ = false;
  bool shown_ = true;
  std::array<int, 3> streams_ = {kInput, kOutput, kError};
  u32 input_mode_ = kUsualMode;
  // The terminal's own settings, and the settings that this class made.
  std::optional<termios> usual_, ours_;
};

}  // namespace wperf::sim
