// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/screen.h"

#include <fmt/format.h>

#include <iterator>

namespace wperf::top {
namespace {

const char* sequence_of(Style style, bool coloured) {
  switch (style) {
    case Style::plain:
      return "\x1b[0m";
    case Style::bold:
      return "\x1b[0;1m";
    case Style::faint:
      return coloured ? "\x1b[0;36m" : "\x1b[0m";
    case Style::chosen:
      return "\x1b[0;7m";
    case Style::hot:
      return coloured ? "\x1b[0;31m" : "\x1b[0m";
    case Style::warm:
      return coloured ? "\x1b[0;32m" : "\x1b[0m";
  }
  return "\x1b[0m";
}

}  // namespace

// The alternate screen, without cursor, whose lines do not run over.
const char kEnterScreen[] = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
const char kLeaveScreen[] = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

void Screen::append_line(std::string& out, const Line& line, usize columns) const {
  for (const Piece& piece : line.pieces()) {
    out += sequence_of(piece.style, coloured_);
    out += piece.text;
  }
  out += "\x1b[0m";
  // In the last column some terminals would take the character away that was just written.
  if (line.columns() < columns) out += "\x1b[K";
}

std::string Screen::change_to(const Picture& next) {
  std::string out;
  const bool is_new = !is_known_ || next.columns != shown_.columns || next.lines.size() != shown_.lines.size();
  if (is_new) out += "\x1b[0m\x1b[2J";
  for (usize i = 0; i < next.lines.size(); ++i) {
    if (!is_new && next.lines[i] == shown_.lines[i]) continue;
    fmt::format_to(std::back_inserter(out), "\x1b[{};1H", i + 1);
    append_line(out, next.lines[i], next.columns);
  }
  shown_ = next;
  is_known_ = true;
  return out;
}

}  // namespace wperf::top
