// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ground/text/unicode.h"

namespace wperf::top {
namespace {

struct Range {
  u32 first, last;
};
// Characters without width (Unicode: non-spacing marks and format characters), by blocks.
constexpr Range kJoining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},   {0x06d6, 0x06dc},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},   {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},   {0x2060, 0x2069},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff}, {0xe0000, 0xe0fff},
};
// Characters that are two columns wide (Unicode: East Asian Width W and F).
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x274c, 0x274c},   {0x2753, 0x2757},
    {0x2795, 0x2797},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f265}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

template <usize N>
bool is_in(const Range (&ranges)[N], u32 point) {
  const Range* found = std::upper_bound(std::begin(ranges), std::end(ranges), point,
                                        [](u32 value, const Range& range) { return value < range.first; });
  return found != std::begin(ranges) && point <= (found - 1)->last;
}

// Control characters of one or two bytes, and marks that change the direction of the text after them.
bool is_harmful(u32 point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069);
}

struct Character {
  std::string text;
  usize columns = 1;
};

// Removes the first character from the text.
Character next_character(std::string_view& utf8) {
  const u8 first = static_cast<u8>(utf8.front());
  text::CodePoint point{.value = first};
  if (first >= 0x80) point = text::decode_utf8(utf8);
  const usize length = std::max<usize>(point.length, 1);
  const std::string_view bytes = utf8.substr(0, length);
  utf8.remove_prefix(std::min(length, utf8.size()));
  if (is_harmful(point.value)) {
    std::string shown =
        point.value < 0x100 ? fmt::format("\\x{:02x}", point.value) : fmt::format("\\u{:04x}", point.value);
    const usize columns = shown.size();
    return {std::move(shown), columns};
  }
  constexpr u32 kReplacement = 0xfffd;
  if (point.value == kReplacement) return {"\xef\xbf\xbd", 1};
  return {std::string(bytes), columns_of(point.value)};
}

}  // namespace

usize columns_of(u32 code_point) {
  return is_in(kJoining, code_point) ? 0 : is_in(kWide, code_point) ? 2 : 1;
}

usize columns_of(std::string_view utf8) {
  usize columns = 0;
  while (!utf8.empty()) columns += next_character(utf8).columns;
  return columns;
}

void Line::append(std::string_view clean, usize columns, Style style) {
  if (clean.empty()) return;
  columns_ += columns;
  if (!pieces_.empty() && pieces_.back().style == style) {
    pieces_.back().text += clean;
  } else {
    pieces_.push_back({std::string(clean), style});
  }
}

void Line::put(std::string_view utf8, Style style) {
  const usize room = left();
  const bool fits = utf8.size() <= room || columns_of(utf8) <= room;
  // The ellipsis takes one column.
  const usize most = fits ? room : std::max<usize>(room, 1) - 1;
  std::string clean;
  usize columns = 0;
  while (!utf8.empty()) {
    const Character one = next_character(utf8);
    if (columns + one.columns > most) {
      if (!fits && columns < room) {
        clean += '~';
        ++columns;
      }
      break;
    }
    clean += one.text;
    columns += one.columns;
  }
  append(clean, columns, style);
}

void Line::put_left(std::string_view utf8, usize columns, Style style) {
  Line part(std::min(columns, left()));
  part.put(utf8, style);
  part.fill(style);
  for (const Piece& piece : part.pieces_) append(piece.text, 0, piece.style);
  columns_ += part.columns_;
}

void Line::put_right(std::string_view utf8, usize columns, Style style) {
  const usize own = columns_of(utf8);
  if (own < columns) put(std::string(columns - own, ' '), style);
  put_left(utf8, std::min(own, columns), style);
}

void Line::fill(Style style) {
  append(std::string(left(), ' '), left(), style);
}

std::string Line::text() const {
  std::string all;
  for (const Piece& piece : pieces_) all += piece.text;
  return all;
}

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

// The alternate screen, without a cursor and without line wrapping.
const char kEnterScreen[] = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
const char kLeaveScreen[] = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

void Screen::append_line(std::string& out, const Line& line, usize columns) const {
  for (const Piece& piece : line.pieces()) {
    out += sequence_of(piece.style, coloured_);
    out += piece.text;
  }
  out += "\x1b[0m";
  // Not if the line is full, because some terminals would erase the last character.
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
