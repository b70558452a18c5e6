// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/text_width.h"

#include <algorithm>

namespace wperf::text {
namespace {

constexpr std::string_view kColours[] = {kNoColour, kGreen, kRed, kBrightRed};

bool continues_character(char byte) {
  return (static_cast<u8>(byte) & 0xc0u) == 0x80u;
}

// The length of a character of several bytes; 1 if no complete one begins here.
usize size_of_character(std::string_view rest) {
  const u8 first = static_cast<u8>(rest[0]);
  const usize size = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  if (first > 0xf4 || rest.size() < size) return 1;
  return std::all_of(rest.begin() + 1, rest.begin() + static_cast<std::ptrdiff_t>(size), continues_character) ? size
                                                                                                              : 1;
}

// U+202A to U+202E and U+2066 to U+2069: the text after them would be shown from right to left, or in another place.
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
  // U+0080 to U+009F, and bytes of that number, which some terminals obey, too.
  const u8 last = static_cast<u8>(rest[bytes - 1]);
  const bool is_wide_control = last < 0xa0 && last >= 0x80 && (bytes == 1 || (bytes == 2 && byte == 0xc2));
  if (is_wide_control) return {bytes, kShownControl, CharacterKind::control};
  if (is_direction(rest.substr(0, bytes))) return {bytes, kShownDirection, CharacterKind::direction};
  return {bytes, continues_character(rest[0]) ? usize{0} : usize{1}};
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
