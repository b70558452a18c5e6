// SPDX-License-Identifier: BSD-3-Clause
// Widths of text in characters, not bytes: names of files and functions may have any. A colour of wperf has no width; a
// control character has the width of its replacement.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::text {

// All colours that wperf uses.
inline constexpr std::string_view kNoColour = "\x1b[0m", kGreen = "\x1b[32m", kRed = "\x1b[31m",
                                  kBrightRed = "\x1b[1;31m";

enum class CharacterKind : u8 {
  plain,
  colour,     // a colour that wperf uses
  control,    // a terminal may obey it: printed as \xNN
  direction,  // changes the direction of the text after it: printed as \uNNNN
};
struct Character {
  usize bytes = 0, width = 0;
  CharacterKind kind = CharacterKind::plain;
};
// The first character of text that is not empty. Bytes that are not UTF-8 are a character each.
Character first_character(std::string_view rest);

usize width_of(std::string_view utf8);
// The first `width` characters, the last of them `mark` if there were more. For text without colours.
std::string cut_to(std::string_view utf8, usize width, std::string_view mark = "..");

// A name within a line: without line ends, and without anything that looks like a colour of wperf.
std::string name_in_line(std::string name);

// For terminals: a line in the colour of its share, red from 5 % on, green from 0.5 %.
std::string coloured_by_share(std::string line, double percent);

}  // namespace wperf::text
