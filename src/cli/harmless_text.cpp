// SPDX-License-Identifier: BSD-3-Clause
#include "cli/harmless_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/ints.h"

namespace wperf::cli {
namespace {

constexpr char kEscape = '\x1b', kDelete = '\x7f';

bool is_control(char c) {
  return (static_cast<u8>(c) < 0x20 && c != '\n' && c != '\t') || c == kDelete;
}

// What a terminal may obey begins with such a one.
bool is_suspicious(char c) {
  return is_control(c) || c == '\xc2';
}

// Of the next one, or where the text ends. All of a block is looked at before anything is decided, which compilers
// make into a few instructions: this reads every byte of what may be hundreds of megabytes.
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

// U+0080 to U+009F: to some terminals these are control characters of one byte.
bool is_wide_control(std::string_view rest) {
  return rest.size() > 1 && rest[0] == '\xc2' && (static_cast<u8>(rest[1]) & 0xe0u) == 0x80;
}

// The length of ESC [ digits and semicolons m; 0: it is something else.
usize colour_length(std::string_view rest) {
  if (!rest.starts_with("\x1b[")) return 0;
  const usize end = rest.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && rest[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string_view harmless_text(std::string_view text, bool animated, std::string& scratch) {
  usize at = next_suspicious(text, 0);
  if (at == text.size()) return text;
  scratch.assign(text, 0, at);
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const usize own = !animated ? 0 : rest[0] == '\b' ? 1 : rest[0] == kEscape ? colour_length(rest) : 0;
    if (own != 0 || !(is_control(rest[0]) || is_wide_control(rest))) {
      const usize next = next_suspicious(text, at + std::max<usize>(own, 1));
      scratch.append(text, at, next - at);
      at = next;
      continue;
    }
    const usize replaced = is_control(rest[0]) ? 1 : 2;
    fmt::format_to(std::back_inserter(scratch), "\\x{:02x}", static_cast<u8>(rest[replaced - 1]));
    at += replaced;
  }
  return scratch;
}

}  // namespace wperf::cli
