// SPDX-License-Identifier: BSD-3-Clause
// What is on the screen: made of what is chosen and what was sampled. Pure. Called by live_screen.
#pragma once
#include <string>

#include "views/top/screen.h"
#include "views/top/top_view.h"

namespace wperf::top {

struct PictureFacts {
  std::string of;          // "the machine", "prog.exe (12)"
  std::string note;        // what the run says of itself; empty: nothing
  std::string no_waits;    // why nothing is known of waits; empty: it is
  bool has_ended = false;  // the program: nothing new will come
  bool is_first = true;    // nothing was seen yet
};

// Rows of the table or of the code that fit.
usize page_of(usize lines);
Picture make_picture(const TopView& view, const LiveTable& table, const TableAnswer& answer, const PictureFacts& facts,
                     usize columns, usize lines);

}  // namespace wperf::top
