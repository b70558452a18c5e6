// SPDX-License-Identifier: BSD-3-Clause
#include "report/text_width.h"

#include <algorithm>

namespace wperf::report {
namespace {

bool continues_character(char byte) {
  return (static_cast<u8>(byte) & 0xc0u) == 0x80u;
}

// The length of ESC [ digits and semicolons m; 0: it is something else.
usize colour_length(std::string_view rest) {
  if (!rest.starts_with("\x1b[")) return 0;
  const usize end = rest.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && rest[end] == 'm' ? end + 1 : 0;
}

struct Character {
  usize bytes = 0, width = 0;
};

// Of text that is not empty. Control characters are printed as \xNN.
Character first_character(std::string_view rest) {
  constexpr usize kShownControl = 4;
  const u8 byte = static_cast<u8>(rest[0]);
  if (byte >= 0x20 && byte < 0x7f) return {1, 1};
  if (const usize colour = colour_length(rest); colour != 0) return {colour, 0};
  const bool is_control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
  if (is_control) return {1, kShownControl};
  usize bytes = 1;
  while (bytes < rest.size() && continues_character(rest[bytes])) ++bytes;
  // U+0080 to U+009F, which some terminals obey, too.
  const bool is_wide_control = byte == 0xc2 && bytes == 2 && static_cast<u8>(rest[1]) < 0xa0;
  if (is_wide_control) return {bytes, kShownControl};
  return {bytes, continues_character(rest[0]) ? usize{0} : usize{1}};
}

}  // namespace

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

std::string coloured_by_share(std::string line, double percent) {
  constexpr double kHot = 5, kWarm = 0.5;
  if (percent < kWarm) return line;
  return (percent < kHot ? "\x1b[32m" : "\x1b[31m") + line + "\x1b[0m";
}

}  // namespace wperf::report
