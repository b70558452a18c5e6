// SPDX-License-Identifier: BSD-3-Clause
// Prose in lines of limited width.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::cli {

inline constexpr usize kTextWidth = 80;

// The pieces in lines of at most `width` characters, `first` before the first line, `indent` blanks before the others.
// A piece that is longer than a line gets its own line. Every line ends in LF.
std::string wrap_pieces(std::span<const std::string> pieces, std::string_view first, usize indent,
                        usize width = kTextWidth);

// The words of a text, all lines indented.
std::string wrap_words(std::string_view text, usize indent, usize width = kTextWidth);

}  // namespace wperf::cli
