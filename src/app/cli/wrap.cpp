// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/wrap.h"

namespace wperf::cli {

std::string wrap_pieces(std::span<const std::string> pieces, std::string_view first, usize indent, usize width) {
  std::string out;
  std::string line(first);
  bool line_is_empty = true;
  for (const std::string& piece : pieces) {
    if (!line_is_empty && line.size() + 1 + piece.size() > width) {
      out += line + "\n";
      line.assign(indent, ' ');
      line_is_empty = true;
    }
    if (!line_is_empty) line += ' ';
    line += piece;
    line_is_empty = false;
  }
  return out + line + "\n";
}

std::string wrap_words(std::string_view text, usize indent, usize width) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const usize blank = text.find(' ');
    words.emplace_back(text.substr(0, blank));
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  }
  return wrap_pieces(words, std::string(indent, ' '), indent, width);
}

}  // namespace wperf::cli
