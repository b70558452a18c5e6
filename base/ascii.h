// SPDX-License-Identifier: BSD-3-Clause
// Compares letters of names, independently of the language of Windows.
#pragma once

namespace wperf {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A whole std::string, or any other sequence of characters.
template <typename Text>
constexpr Text in_lower_case(Text text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

template <typename Text, typename Other>
constexpr bool equal_ignoring_case(const Text& a, const Other& b) {
  if (a.size() != b.size()) return false;
  for (decltype(a.size()) i = 0; i < a.size(); ++i) {
    if (ascii_lower(a[i]) != ascii_lower(b[i])) return false;
  }
  return true;
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace wperf
