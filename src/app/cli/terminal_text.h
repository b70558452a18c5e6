// SPDX-License-Identifier: BSD-3-Clause
// Text for a terminal: narrow enough that no line is broken inside of a number or a name, and harmless.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::cli {

// Lines that fit stay. A table (its second line underlines the titles) that does not fit is cut between two columns,
// and the part that is cut off follows each line, indented. Any other line goes on below, broken at a blank or after a
// comma or a plus. `width` is in characters.
std::string fold_lines(std::string_view text, usize width);

// The width of prose.
inline constexpr usize kTextWidth = 80;

// The pieces in lines of at most `width` characters, `first` before the first line, `indent` blanks before the others.
// A piece that is longer than a line gets its own line. Every line ends in LF.
std::string wrap_pieces(std::span<const std::string> pieces, std::string_view first, usize indent,
                        usize width = kTextWidth);

// The words of a text, all lines indented.
std::string wrap_words(std::string_view text, usize indent, usize width = kTextWidth);

// Control characters that wperf prints itself, in addition to line ends and tabulators.
struct OwnSigns {
  bool backspace = false;  // at the beginning
  bool colours = false;    // the few of report, as it puts them: around a line, after blanks and numbers
};
// Names come from files and command lines that anyone may have made. A terminal obeys control characters in them, so
// they are shown as \xNN, in all output. Characters that change the direction of text are shown as \uNNNN. Returns
// `text`, or a view of `scratch` if something had to be replaced.
std::string_view harmless_text(std::string_view text, OwnSigns own, std::string& scratch);

}  // namespace wperf::cli
