// SPDX-License-Identifier: BSD-3-Clause
// UTF-8, UTF-16 and wide strings, and the width of text on a terminal. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::text {

// Is it a byte of a UTF-8 character after the first one?
constexpr bool continues_character(char byte) {
  return (static_cast<u8>(byte) & 0xc0u) == 0x80u;
}

// UTF-16 occurs in escapes of JSON and as whole files.
constexpr bool is_high_half(u32 unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
constexpr bool is_low_half(u32 unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}
constexpr u32 joined_halves(u32 high, u32 low) {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

struct CodePoint {
  u32 value = 0xfffd;  // the value for bytes that are not UTF-8
  usize length = 1;    // bytes consumed
};
// Decodes the multi-byte character at the start of `text` (Unicode 15, table 3-7). Refuses overlong forms, surrogates
// and values beyond U+10FFFF. If it is malformed, its longest valid beginning is consumed.
CodePoint decode_utf8(std::string_view text);
// A lone surrogate, and any value beyond U+10FFFF, becomes U+FFFD.
void append_utf8(std::string& out, u32 code);

// Every byte or code unit that is not part of a character becomes U+FFFD.
std::u16string utf16_of(std::string_view utf8);
std::string utf8_of(std::u16string_view utf16);
// The wide strings of the system: UTF-16 on Windows, UTF-32 elsewhere.
std::wstring wide_of(std::string_view utf8);
std::string utf8_of(std::wstring_view wide);

// nullopt if the file does not begin with a byte order mark of UTF-16.
std::optional<std::string> utf8_of_utf16(bytes::Span file);

// Widths of text in characters, not bytes, because names of files and functions may contain any character. A colour of
// wperf has no width; a control character has the width of its replacement.

// All colours that wperf uses.
inline constexpr std::string_view kNoColour = "\x1b[0m", kGreen = "\x1b[32m", kRed = "\x1b[31m",
                                  kBrightRed = "\x1b[1;31m";

enum class CharacterKind : u8 {
  plain,
  colour,     // a colour that wperf uses
  control,    // a terminal may act on it: printed as \xNN
  direction,  // changes the direction of the text after it: printed as \uNNNN
};
struct Character {
  usize bytes = 0, width = 0;
  CharacterKind kind = CharacterKind::plain;
};
// The first character of a non-empty text. Each byte that is not UTF-8 counts as a character.
Character first_character(std::string_view rest);

// The printed form of a character that a terminal might act on; empty if it is printed unchanged.
std::string printed_form(std::string_view character, CharacterKind kind);

usize width_of(std::string_view utf8);
// The first `width` characters. If the text is longer, the result ends with `mark`. For text without colours.
std::string cut_to(std::string_view utf8, usize width, std::string_view mark = "..");

// A name to be printed within a line: line ends, and bytes that look like wperf's colours, are replaced.
std::string name_in_line(std::string name);

// For terminals: colours a line by its share, red from 5 %, green from 0.5 %.
std::string coloured_by_share(std::string line, double percent);

}  // namespace wperf::text
