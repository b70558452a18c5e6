// SPDX-License-Identifier: BSD-3-Clause
// A list of words, separated by spaces: the values of an option. Each value is a word's number.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::text {

// Calls visit(word, number) for each word until it returns true.
template <typename Visit>
constexpr void find_word(std::string_view words, const Visit& visit) {
  for (usize number = 0; !words.empty(); ++number) {
    const usize end = words.find(' ');
    if (visit(words.substr(0, end), number)) return;
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
}

constexpr std::optional<usize> number_of_word(std::string_view words, std::string_view wanted) {
  std::optional<usize> found;
  find_word(words, [&](std::string_view word, usize number) {
    if (word == wanted) found = number;
    return found.has_value();
  });
  return found;
}

constexpr std::string_view word_at(std::string_view words, usize wanted) {
  std::string_view found;
  find_word(words, [&](std::string_view word, usize number) {
    if (number == wanted) found = word;
    return number == wanted;
  });
  return found;
}

// "a, b, c"
inline std::string with_commas_between(std::string_view words) {
  std::string out;
  find_word(words, [&](std::string_view word, usize number) {
    if (number != 0) out += ", ";
    out += word;
    return false;
  });
  return out;
}

}  // namespace wperf::text
