// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/terminal_text.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/ascii.h"
#include "base/ints.h"
#include "ground/text/unicode.h"

namespace wperf::cli {
namespace {

constexpr usize kSetIn = 10;
constexpr usize kLeastWidth = 40;  // narrower terminals are ignored

using Lines = std::vector<std::string_view>;

// Colours (ESC … m) and the continuation bytes of characters have no width.
usize width_of(std::string_view line) {
  usize width = 0;
  bool escaped = false;
  for (const char c : line) {
    if (c == '\x1b') escaped = true;
    if (!escaped && !text::continues_character(c)) ++width;
    if (c == 'm') escaped = false;
  }
  return width;
}

bool fits(std::span<const std::string_view> lines, usize width) {
  return std::all_of(lines.begin(), lines.end(), [&](std::string_view line) { return width_of(line) <= width; });
}

bool underlines(std::string_view line) {
  return line.find('=') != std::string_view::npos && line.find_first_not_of("= ") == std::string_view::npos;
}

// Where to break a line of plain characters so that its beginning fits. Returns 0 if it cannot be broken there.
usize break_in(std::string_view line, usize width) {
  const usize begin = std::min(line.find_first_not_of(' '), line.size());
  for (usize at = std::min(width, line.size() - 1); at > begin; --at) {
    if (line[at] == ' ') return at;
    if ((line[at - 1] == ',' || line[at - 1] == '+') && !is_digit(line[at])) return at;
  }
  return 0;
}

void append_line(std::string& out, std::string_view line, usize width) {
  const bool plain = width_of(line) == line.size();
  const usize indent = std::min(line.find_first_not_of(' '), width / 2);
  std::string_view rest = line;
  std::string set_in;
  while (plain && set_in.size() + rest.size() > width) {
    const usize at = break_in(rest, width - set_in.size());
    if (at == 0) break;
    out.append(set_in).append(rest.substr(0, at)) += '\n';
    rest.remove_prefix(at);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    set_in.assign(indent == 0 ? 0 : indent + 2, ' ');
  }
  out.append(set_in).append(rest) += '\n';
}

bool blank_at(std::span<const std::string_view> lines, usize at) {
  return std::all_of(lines.begin(), lines.end(),
                     [&](std::string_view line) { return at >= line.size() || line[at] == ' '; });
}

struct Gap {
  usize begin = 0, end = 0;
};

// The last gap between columns that begins within `width`.
std::optional<Gap> last_gap(std::span<const std::string_view> table, usize width) {
  for (usize end = width + 2; end > 2; --end) {
    if (!blank_at(table, end - 1) || !blank_at(table, end - 2)) continue;
    usize begin = end - 2;
    while (begin > 0 && blank_at(table, begin - 1)) --begin;
    if (begin == 0) return std::nullopt;
    while (blank_at(table, end) && end < begin + width) ++end;
    return Gap{begin, end};
  }
  return std::nullopt;
}

// Cuts each line of the table into pieces, to be shown below each other.
bool cut(const Lines& table, usize width, std::vector<Lines>& pieces) {
  if (fits(table, width)) {
    for (usize i = 0; i < table.size(); ++i) pieces[i].push_back(table[i]);
    return true;
  }
  const std::optional<Gap> gap = last_gap(table, width);
  if (!gap.has_value()) return false;
  Lines rest;
  for (usize i = 0; i < table.size(); ++i) {
    pieces[i].push_back(table[i].substr(0, gap->begin));
    rest.push_back(table[i].substr(std::min(gap->end, table[i].size())));
  }
  if (fits(rest, 0)) return true;
  if (cut(rest, width - std::min(width - 1, pieces[0].size() == 1 ? kSetIn : 0), pieces)) return true;
  for (usize i = 0; i < table.size(); ++i) pieces[i].push_back(rest[i]);  // append_line() breaks these lines
  return true;
}

void append_piece(std::string& out, std::string_view piece, bool first, usize width) {
  piece = piece.substr(0, piece.find_last_not_of(' ') + 1);
  if (piece.empty() && !first) return;
  append_line(out, first ? std::string(piece) : std::string(kSetIn, ' ') + std::string(piece), width);
}

void append_table(std::string& out, const Lines& table, usize width) {
  const bool plain =
      std::all_of(table.begin(), table.end(), [](std::string_view line) { return width_of(line) == line.size(); });
  std::vector<Lines> pieces(table.size());
  if (fits(table, width) || !plain || !cut(table, width, pieces)) {
    for (const std::string_view line : table) append_line(out, line, width);
    return;
  }
  for (const Lines& line : pieces) {
    for (usize i = 0; i < line.size(); ++i) append_piece(out, line[i], i == 0, width);
  }
}

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const usize end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// May this byte begin something that a terminal would act on?
bool is_suspicious(char c) {
  constexpr char kDelete = '\x7f';
  const u8 byte = static_cast<u8>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || c == kDelete || byte >= 0x80;
}

// The position of the next suspicious character, or the end of the text. A whole block is checked before any decision,
// because compilers turn that into a few instructions, and the text may have hundreds of megabytes.
usize next_suspicious(std::string_view text, usize at) {
  constexpr usize kBlock = 64;
  for (; text.size() - at >= kBlock; at += kBlock) {
    u8 found = 0;
    for (usize i = 0; i < kBlock; ++i) found = is_suspicious(text[at + i]) ? u8{1} : found;
    if (found != 0) break;
  }
  while (at < text.size() && !is_suspicious(text[at])) ++at;
  return at;
}

// The end of a colour sequence of wperf that begins at `at`; npos for another sequence, for example in a name.
usize end_of_own_colour(std::string_view text, usize at) {
  const auto is_passed = [](char c) { return c == ' ' || (c >= '0' && c <= '9'); };
  usize begin = at;
  while (begin != 0 && is_passed(text[begin - 1])) --begin;
  if (begin != 0 && text[begin - 1] != '\n') return std::string_view::npos;
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  return line.ends_with(text::kNoColour) ? at + line.size() - text::kNoColour.size() : std::string_view::npos;
}

}  // namespace

std::string fold_lines(std::string_view text, usize width) {
  const usize last_end = text.rfind('\n');
  if (width < kLeastWidth || last_end == std::string_view::npos) return std::string(text);
  const Lines lines = lines_of(text.substr(0, last_end + 1));
  if (fits(lines, width)) return std::string(text);
  std::string out;
  for (usize i = 0; i < lines.size();) {
    if (i + 1 == lines.size() || !underlines(lines[i + 1])) {
      append_line(out, lines[i++], width);
      continue;
    }
    Lines table;
    while (i < lines.size() && !lines[i].empty()) table.push_back(lines[i++]);
    append_table(out, table, width);
  }
  return out.append(text.substr(last_end + 1));
}

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

std::string_view sanitize_text(std::string_view text, AllowedControls allowed, std::string& scratch) {
  usize at = allowed.backspace && text.starts_with('\b') ? 1 : 0;
  at = next_suspicious(text, at);
  if (at == text.size()) return text;
  scratch.assign(text, 0, at);
  usize colour_end = text.npos;
  while (at < text.size()) {
    const text::Character one = text::first_character(text.substr(at));
    const std::string_view character = text.substr(at, one.bytes);
    const bool is_colour = allowed.colours && one.kind == text::CharacterKind::colour;
    const usize end = is_colour && character != text::kNoColour ? end_of_own_colour(text, at) : text.npos;
    const bool is_own = end != text.npos || (is_colour && at == colour_end);
    const std::string instead = is_own ? std::string() : text::printed_form(character, one.kind);
    if (end != text.npos) colour_end = end;
    const usize next = next_suspicious(text, at + one.bytes);
    if (instead.empty())
      scratch.append(text, at, one.bytes);
    else
      scratch += instead;
    scratch.append(text, at + one.bytes, next - at - one.bytes);
    at = next;
  }
  return scratch;
}

}  // namespace wperf::cli
