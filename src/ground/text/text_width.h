// SPDX-License-Identifier: BSD-3-Clause
// Widths of text in characters, not bytes: names of files and functions may hold any. A colour of ours has no width, a
// control character that of what is printed for it. Called by the tables and trees of this room, and by cli, which
// prints it so.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::text {

// All that anything here is coloured with.
inline constexpr std::string_view kNoColour = "\x1b[0m", kGreen = "\x1b[32m", kRed = "\x1b[31m",
                                  kBrightRed = "\x1b[1;31m";

enum class CharacterKind : u8 {
  plain,
  colour,     // one that we use ourselves
  control,    // a terminal may obey it: printed as \xNN
  direction,  // it turns the order of what follows: printed as \uNNNN
};
struct Character {
  usize bytes = 0, width = 0;
  CharacterKind kind = CharacterKind::plain;
};
// Of text that is not empty. Bytes that are no UTF-8 are a character each.
Character first_character(std::string_view rest);

usize width_of(std::string_view utf8);
// Its first `width` characters, the last of them `mark` where there were more. Of text without colours.
std::string cut_to(std::string_view utf8, usize width, std::string_view mark = "..");

// A name within a line: without line ends, and with nothing that might be taken for a colour of ours.
std::string name_in_line(std::string name);

// For terminals: a line in the colour of its share, red from 5 % on, green from 0.5 %.
std::string coloured_by_share(std::string line, double percent);

}  // namespace wperf::text
