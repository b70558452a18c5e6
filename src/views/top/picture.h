// SPDX-License-Identifier: BSD-3-Clause
// The contents of the screen, made from the view and the samples. Pure.
#pragma once
#include <string>

#include "views/top/screen.h"
#include "views/top/top_view.h"

namespace wperf::top {

struct PictureFacts {
  std::string of;          // "the machine", "prog.exe (12)"
  std::string note;        // the run's own remark; empty: none
  std::string no_waits;    // why waits are unknown; empty: they are known
  bool has_ended = false;  // the program has ended: there will be no new samples
  bool is_first = true;    // there are no samples yet
};

// How many rows of the table or of the code fit.
usize page_of(usize lines);
struct PictureSize {
  usize columns, lines;
};
Picture make_picture(const TopView& view, const LiveTable& table, const TableAnswer& answer, const PictureFacts& facts,
                     PictureSize size);

}  // namespace wperf::top
