// SPDX-License-Identifier: BSD-3-Clause
// The contents of the screen, from the view and the samples. Pure.
#pragma once
#include <string>

#include "views/top/screen.h"
#include "views/top/top_view.h"

namespace wperf::top {

struct PictureFacts {
  std::string of;          // "the machine", "prog.exe (12)"
  std::string note;        // a remark about the run; empty if there is none
  std::string no_waits;    // why waits are unknown; empty if they are known
  bool has_ended = false;  // the program has ended, so no new samples come
  bool is_first = true;    // there are no samples yet
};

// The number of rows, of the table or of code, that fit on a screen with this many lines.
usize page_of(usize lines);
struct PictureSize {
  usize columns, lines;
};
Picture make_picture(const TopView& view, const LiveTable& table, const TableAnswer& answer, const PictureFacts& facts,
                     PictureSize size);

}  // namespace wperf::top
