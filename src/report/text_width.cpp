// SPDX-License-Identifier: BSD-3-Clause
#include "report/text_width.h"

#include <algorithm>

namespace wperf::report {
namespace {

bool begins_character(char byte) {
  return (static_cast<u8>(byte) & 0xc0u) != 0x80u;
}

}  // namespace

usize width_of(std::string_view utf8) {
  usize width = 0;
  bool escaped = false;
  for (const char c : utf8) {
    if (c == '\x1b') escaped = true;
    if (!escaped && begins_character(c)) ++width;
    if (c == 'm') escaped = false;
  }
  return width;
}

std::string cut_to(std::string_view utf8, usize width, std::string_view mark) {
  if (width_of(utf8) <= width) return std::string(utf8);
  const usize kept = std::max(width, mark.size()) - mark.size();
  usize at = 0;
  for (usize characters = 0; at < utf8.size(); ++at) {
    if (begins_character(utf8[at]) && characters++ == kept) break;
  }
  return std::string(utf8.substr(0, at)).append(mark.substr(0, width));
}

std::string coloured_by_share(std::string line, double percent) {
  constexpr double kHot = 5, kWarm = 0.5;
  if (percent < kWarm) return line;
  return (percent < kHot ? "\x1b[32m" : "\x1b[31m") + line + "\x1b[0m";
}

}  // namespace wperf::report
