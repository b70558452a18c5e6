// SPDX-License-Identifier: BSD-3-Clause
// Text for a terminal: harmless, and narrow enough that no number or name is broken at the edge.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::cli {

// Lines that fit are unchanged. A table that does not fit (its second line underlines the titles) is cut between two
// columns, and the rest of each line follows it, indented. Any other line is broken at a blank, or after a comma or
// plus. `width` is in characters.
std::string fold_lines(std::string_view text, usize width);

// The width of running text.
inline constexpr usize kTextWidth = 80;

// Arranges the pieces in lines of at most `width` characters, with `first` before the first line and `indent` blanks
// before the others. A piece that is longer than a line gets its own line. Every line ends in LF.
std::string wrap_pieces(std::span<const std::string> pieces, std::string_view first, usize indent,
                        usize width = kTextWidth);

// Wraps the words of a text and indents all lines.
std::string wrap_words(std::string_view text, usize indent, usize width = kTextWidth);

// Control characters that wperf itself prints, in addition to line ends and tabs.
struct AllowedControls {
  bool backspace = false;  // at the beginning of a text
  bool colours = false;    // the colours of report, only in the places where report puts them: around a line, and after
                           // blanks and numbers
};
// Names come from files and command lines that anybody may have made, and a terminal acts on control characters in
// them. So in all output control characters are shown as \xNN, and characters that change the direction of text as
// \uNNNN. Returns `text`, or a view of `scratch` if something had to be replaced.
std::string_view sanitize_text(std::string_view text, AllowedControls allowed, std::string& scratch);

}  // namespace wperf::cli
