// SPDX-License-Identifier: BSD-3-Clause
// A picture of lines onto a terminal: only what differs from the last one, as VT sequences, which Windows' consoles
// take, too. Pure. Called by live_screen.
#pragma once
#include <string>
#include <vector>

#include "views/top/cells.h"

namespace wperf::top {

struct Picture {
  usize columns = 0;
  std::vector<Line> lines;  // one for each of the screen
};

// What a terminal gets before the first picture, and when all is over.
extern const char kEnterScreen[];
extern const char kLeaveScreen[];

class Screen {
 public:
  explicit Screen(bool coloured) : coloured_(coloured) {}
  // The sequences that make `next` of what is there.
  std::string change_to(const Picture& next);
  // Nobody knows what is there.
  void forget() { is_known_ = false; }

 private:
  void append_line(std::string& out, const Line& line, usize columns) const;

  bool coloured_;
  bool is_known_ = false;
  Picture shown_;
};

}  // namespace wperf::top
