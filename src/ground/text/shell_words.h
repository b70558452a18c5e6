// SPDX-License-Identifier: BSD-3-Clause
// Words of command lines for people to copy: a word from a foreign file may contain any character.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace wperf::text {

// Do all shells take this word without quotes?
constexpr bool is_plain_word(std::string_view word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./\\-";
  return !word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos;
}

// 'it'\''s': one word for POSIX shells.
inline std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
  return out + "'";
}

constexpr bool is_control_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < ' ' || byte == 0x7f;
}

// $'two\nlines': stays on one line. POSIX has had this since 2024, bash and zsh for much longer.
inline std::string escape_quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      out.append("\\").append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control_character(c)) {
      out.append("\\x").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    } else {
      out += c;
    }
  }
  return out + "'";
}

// One word for all shells if it has no special characters, otherwise one word for POSIX shells.
inline std::string quoted_word(std::string_view word) {
  if (is_plain_word(word)) return std::string(word);
  if (std::any_of(word.begin(), word.end(), is_control_character)) return escape_quoted(word);
  const bool is_literal = word.find_first_of("\"$`\\!") == std::string_view::npos;
  return is_literal ? '"' + std::string(word) + '"' : single_quoted(word);
}

template <class Words>
std::string quoted_words(const Words& words) {
  std::string line;
  for (const std::string_view word : words) line += (line.empty() ? "" : " ") + quoted_word(word);
  return line;
}

}  // namespace wperf::text
