// SPDX-License-Identifier: BSD-3-Clause
// Letters of names, compared in the same way whatever language Windows is set to.
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

}  // namespace wperf
