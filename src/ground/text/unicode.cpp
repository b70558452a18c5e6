// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::text {
namespace {

constexpr u32 kReplacement = 0xfffd, kLastCharacter = 0x10ffff, kBeyond16Bits = 0x10000;

// Removes and returns the first character of `utf8`. If the text is malformed, removes one byte.
u32 take_character(std::string_view& utf8) {
  const u8 first = static_cast<u8>(utf8[0]);
  const CodePoint point = first < 0x80 ? CodePoint{first, 1} : decode_utf8(utf8);
  const bool is_malformed = point.value == kReplacement && !utf8.starts_with("\xef\xbf\xbd");
  utf8.remove_prefix(is_malformed ? 1 : point.length);
  return point.value;
}

template <typename Unit>
std::basic_string<Unit> units_of(std::string_view utf8) {
  std::basic_string<Unit> units;
  units.reserve(utf8.size());
  while (!utf8.empty()) {
    const u32 character = take_character(utf8);
    if (sizeof(Unit) == 2 && character >= kBeyond16Bits) {
      units += static_cast<Unit>(0xd800 + ((character - kBeyond16Bits) >> 10));
      units += static_cast<Unit>(0xdc00 + (character & 0x3ff));
    } else {
      units += static_cast<Unit>(character);
    }
  }
  return units;
}

template <typename Unit>
std::string utf8_of_units(std::basic_string_view<Unit> units) {
  // wchar_t is signed on some systems, so convert it.
  const auto unit = [&](usize at) {
    return sizeof(Unit) == 2 ? u32{static_cast<u16>(units[at])} : static_cast<u32>(units[at]);
  };
  std::string utf8;
  utf8.reserve(units.size());
  for (usize at = 0; at < units.size(); ++at) {
    u32 code = unit(at);
    if (sizeof(Unit) == 2 && is_high_half(code) && at + 1 < units.size() && is_low_half(unit(at + 1))) {
      code = joined_halves(code, unit(++at));
    }
    append_utf8(utf8, code);
  }
  return utf8;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const u8 first = static_cast<u8>(text[0]);
  if (first < 0xc2u || first > 0xf4u) return {};
  const usize length = first < 0xe0u ? 2u : first < 0xf0u ? 3u : 4u;
  u32 value = first & (0xffu >> (length + 1));
  for (usize i = 1; i < length; ++i) {
    if (i >= text.size() || !continues_character(text[i])) return {.value = CodePoint{}.value, .length = i};
    value = (value << 6) | (static_cast<u8>(text[i]) & 0x3fu);
    if (i > 1) continue;
    const u8 second = static_cast<u8>(text[1]);
    const bool overlong = (first == 0xe0u && second < 0xa0u) || (first == 0xf0u && second < 0x90u);
    const bool outside = (first == 0xedu && second > 0x9fu) || (first == 0xf4u && second > 0x8fu);
    if (overlong || outside) return {};
  }
  return {.value = value, .length = length};
}

void append_utf8(std::string& out, u32 code) {
  const auto put = [&](u32 byte) { out += static_cast<char>(byte); };
  if (is_high_half(code) || is_low_half(code) || code > kLastCharacter) code = kReplacement;
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < kBeyond16Bits) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

std::u16string utf16_of(std::string_view utf8) {
  return units_of<char16_t>(utf8);
}

std::string utf8_of(std::u16string_view utf16) {
  return utf8_of_units(utf16);
}

std::wstring wide_of(std::string_view utf8) {
  return units_of<wchar_t>(utf8);
}

std::string utf8_of(std::wstring_view wide) {
  return utf8_of_units(wide);
}

std::optional<std::string> utf8_of_utf16(bytes::Span file) {
  const auto byte = [&](usize at) { return static_cast<u32>(file[at]); };
  if (file.size() < 2) return std::nullopt;
  const bool is_little = byte(0) == 0xff && byte(1) == 0xfe, is_big = byte(0) == 0xfe && byte(1) == 0xff;
  if (!is_little && !is_big) return std::nullopt;
  const auto unit = [&](usize at) { return is_little ? byte(at) | byte(at + 1) << 8 : byte(at) << 8 | byte(at + 1); };
  std::u16string text;
  text.reserve(file.size() / 2);
  for (usize at = 2; at + 2 <= file.size(); at += 2) text += static_cast<char16_t>(unit(at));
  return utf8_of(text);
}

namespace {

constexpr std::string_view kColours[] = {kNoColour, kGreen, kRed, kBrightRed};

// The length of the multi-byte character that begins here; 1 if there is no complete one.
usize size_of_character(std::string_view rest) {
  const u8 first = static_cast<u8>(rest[0]);
  const usize size = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  if (first > 0xf4 || rest.size() < size) return 1;
  return std::all_of(rest.begin() + 1, rest.begin() + static_cast<std::ptrdiff_t>(size), continues_character) ? size
                                                                                                              : 1;
}

// U+202A to U+202E and U+2066 to U+2069: they make a terminal show the text after them from right to left, or in
// another place.
bool is_direction(std::string_view character) {
  if (character.size() != 3 || character[0] != '\xe2') return false;
  const u8 second = static_cast<u8>(character[1]), third = static_cast<u8>(character[2]);
  return (second == 0x80 && third >= 0xaa && third <= 0xae) || (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

}  // namespace

Character first_character(std::string_view rest) {
  constexpr usize kShownControl = 4, kShownDirection = 6;
  const u8 byte = static_cast<u8>(rest[0]);
  if (byte >= 0x20 && byte < 0x7f) return {1, 1};
  for (const std::string_view colour : kColours) {
    if (rest.starts_with(colour)) return {colour.size(), 0, CharacterKind::colour};
  }
  const bool is_control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
  if (is_control) return {1, kShownControl, CharacterKind::control};
  const usize bytes = size_of_character(rest);
  // U+0080 to U+009F, and single bytes with these values, which some terminals also obey.
  const u8 last = static_cast<u8>(rest[bytes - 1]);
  const bool is_wide_control = last < 0xa0 && last >= 0x80 && (bytes == 1 || (bytes == 2 && byte == 0xc2));
  if (is_wide_control) return {bytes, kShownControl, CharacterKind::control};
  if (is_direction(rest.substr(0, bytes))) return {bytes, kShownDirection, CharacterKind::direction};
  return {bytes, continues_character(rest[0]) ? usize{0} : usize{1}};
}

std::string printed_form(std::string_view character, CharacterKind kind) {
  const auto byte = [&](usize i) { return static_cast<u8>(character[i]); };
  if (kind == CharacterKind::colour) return fmt::format("\\x{:02x}{}", byte(0), character.substr(1));
  if (kind == CharacterKind::control) return fmt::format("\\x{:02x}", byte(character.size() - 1));
  if (kind != CharacterKind::direction) return {};
  return fmt::format("\\u{:04x}", (byte(0) & 0xfu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu));
}

usize width_of(std::string_view utf8) {
  usize width = 0;
  while (!utf8.empty()) {
    const Character one = first_character(utf8);
    width += one.width;
    utf8.remove_prefix(one.bytes);
  }
  return width;
}

std::string cut_to(std::string_view utf8, usize width, std::string_view mark) {
  if (width_of(utf8) <= width) return std::string(utf8);
  const usize kept = std::max(width, mark.size()) - mark.size();
  usize at = 0;
  for (usize taken = 0; at < utf8.size();) {
    const Character one = first_character(utf8.substr(at));
    taken += one.width;
    if (taken > kept) break;
    at += one.bytes;
  }
  return std::string(utf8.substr(0, at)).append(mark.substr(0, width));
}

std::string name_in_line(std::string name) {
  if (name.find_first_of("\x1b\n") == std::string::npos) return name;
  std::string shown;
  for (const char c : name) {
    if (c == '\x1b')
      shown += "\\x1b";
    else if (c == '\n')
      shown += "\\x0a";
    else
      shown += c;
  }
  return shown;
}

std::string coloured_by_share(std::string line, double percent) {
  constexpr double kHot = 5, kWarm = 0.5;
  if (percent < kWarm) return line;
  return std::string(percent < kHot ? kGreen : kRed).append(line).append(kNoColour);
}

}  // namespace wperf::text
