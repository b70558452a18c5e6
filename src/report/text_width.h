// SPDX-License-Identifier: BSD-3-Clause
// Widths of text in characters, not bytes: names of files and functions may hold any. A terminal's colour (ESC … m) has
// no width, a control character that of the \xNN that is printed for it. Called by the tables and trees of this room.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::report {

usize width_of(std::string_view utf8);
// Its first `width` characters, the last of them `mark` where there were more. Of text without colours.
std::string cut_to(std::string_view utf8, usize width, std::string_view mark = "..");

// For terminals: a line in the colour of its share, red from 5 % on, green from 0.5 %.
std::string coloured_by_share(std::string line, double percent);

}  // namespace wperf::report
