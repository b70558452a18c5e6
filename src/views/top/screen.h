// SPDX-License-Identifier: BSD-3-Clause
// A picture of lines onto a terminal: only the differences from the last one, as VT sequences, which Windows' consoles
// take, too. Pure.
#pragma once
#include <string>
#include <vector>

#include "views/top/cells.h"

namespace wperf::top {

struct Picture {
  usize columns = 0;
  std::vector<Line> lines;  // the lines of the screen
};

// The sequences before the first picture, and at the end.
extern const char kEnterScreen[];
extern const char kLeaveScreen[];

class Screen {
 public:
  explicit Screen(bool coloured) : coloured_(coloured) {}
  // The sequences that turn the present picture into `next`.
  std::string change_to(const Picture& next);
  // The contents of the screen are unknown.
  void forget() { is_known_ = false; }

 private:
  void append_line(std::string& out, const Line& line, usize columns) const;

  bool coloured_;
  bool is_known_ = false;
  Picture shown_;
};

}  // namespace wperf::top
