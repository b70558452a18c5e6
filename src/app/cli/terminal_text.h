// SPDX-License-Identifier: BSD-3-Clause
// Makes text for a terminal: without harmful control characters, and with lines broken so that no number or name is cut
// at the edge.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::cli {

// Lines that fit are unchanged. A table that does not fit (recognised by the underlined titles in its second line) is
// cut between two columns, and the rest of each line is printed below it, indented. Any other line is broken at a
// blank, or after a comma or plus. `width` is in characters.
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
  // the colours of report, only where report puts them: around a line, and after blanks and numbers
  bool colours = false;
};
// Names come from files and command lines that anybody may have written, and a terminal obeys control characters in
// them. So all output shows control characters as \xNN, and characters that change the direction of text as \uNNNN.
// Returns `text`, or a view of `scratch` if something had to be replaced.
std::string_view sanitize_text(std::string_view text, AllowedControls allowed, std::string& scratch);

}  // namespace wperf::cli
