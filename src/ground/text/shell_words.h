// SPDX-License-Identifier: BSD-3-Clause
// Words of command lines for people to copy: a word from a foreign file may contain any character.
#pragma once
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

// One word for all shells if it has none of their characters, otherwise for POSIX shells.
inline std::string quoted_word(std::string_view word) {
  if (is_plain_word(word)) return std::string(word);
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
