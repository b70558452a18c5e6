// SPDX-License-Identifier: BSD-3-Clause
// The standard streams of simulated programs: those of the host process, or three descriptors that a client of a
// machine that stays on passed for one program. Passed descriptors never block the machine: the program waits instead.
#pragma once
#include <array>
#include <span>
#include <utility>

#include "base/ints.h"

namespace wperf::sim {

class StandardStreams {
 public:
  // Input, output, error.
  static constexpr int kInput = 0, kOutput = 1, kError = 2;

  // The streams of this process. If `shown` is set, programs' output appears there. Each program reads the input from
  // its start, also one that runs again, because all bytes that were read are kept.
  explicit StandardStreams(bool shown) : shown_(shown) {}
  // Takes over the descriptors.
  explicit StandardStreams(const std::array<int, 3>& given);
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  // Reads input from `place` on. Returns 0 at the end of the input.
  usize read(u64 place, std::span<char> out) const;
  // Returns how many bytes were written or ignored (on errors). That is all of them, unless a passed stream has no
  // room.
  usize write(int stream, std::span<const char> bytes) const;
  bool is_terminal(int stream) const;
  // The columns and rows of a terminal.
  std::pair<u16, u16> window(int stream) const;
  bool is_shown() const { return shown_; }
  // Whether a read or write can proceed now. The streams of this process are always ready, because the machine's time
  // stands still while one blocks.
  bool is_ready(int stream) const;

 private:
  bool given_ = false;
  bool shown_ = true;
  std::array<int, 3> streams_ = {kInput, kOutput, kError};
};

}  // namespace wperf::sim
