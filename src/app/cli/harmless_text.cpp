// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/harmless_text.h"

#include <fmt/format.h>

#include "base/ints.h"
#include "ground/text/unicode.h"

namespace wperf::cli {
namespace {

// Whatever a terminal may obey begins with such a one.
bool is_suspicious(char c) {
  constexpr char kDelete = '\x7f';
  const u8 byte = static_cast<u8>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || c == kDelete || byte >= 0x80;
}

// The position of the next suspicious character, or the end of the text. A whole block is checked before any decision,
// which compilers turn into a few instructions: this reads every byte of up to hundreds of megabytes.
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

// The printed form of the character; empty: unchanged.
std::string shown(std::string_view character, text::CharacterKind kind, bool is_own) {
  using text::CharacterKind;
  const auto byte = [&](usize i) { return static_cast<u8>(character[i]); };
  if (kind == CharacterKind::colour && !is_own) return fmt::format("\\x{:02x}{}", byte(0), character.substr(1));
  if (kind == CharacterKind::control) return fmt::format("\\x{:02x}", byte(character.size() - 1));
  if (kind != CharacterKind::direction) return {};
  return fmt::format("\\u{:04x}", (byte(0) & 0xfu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu));
}

// The end of one of wperf's colours that begins at `at`; npos if it is another sequence, such as one within a name.
usize end_of_own_colour(std::string_view text, usize at) {
  const auto is_passed = [](char c) { return c == ' ' || (c >= '0' && c <= '9'); };
  usize begin = at;
  while (begin != 0 && is_passed(text[begin - 1])) --begin;
  if (begin != 0 && text[begin - 1] != '\n') return std::string_view::npos;
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  return line.ends_with(text::kNoColour) ? at + line.size() - text::kNoColour.size() : std::string_view::npos;
}

}  // namespace

std::string_view harmless_text(std::string_view text, OwnSigns own, std::string& scratch) {
  usize at = own.backspace && text.starts_with('\b') ? 1 : 0;
  at = next_suspicious(text, at);
  if (at == text.size()) return text;
  scratch.assign(text, 0, at);
  usize colour_end = text.npos;
  while (at < text.size()) {
    const text::Character one = text::first_character(text.substr(at));
    const std::string_view character = text.substr(at, one.bytes);
    const bool is_colour = own.colours && one.kind == text::CharacterKind::colour;
    const usize end = is_colour && character != text::kNoColour ? end_of_own_colour(text, at) : text.npos;
    const std::string instead = shown(character, one.kind, end != text.npos || (is_colour && at == colour_end));
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
