// SPDX-License-Identifier: BSD-3-Clause
// Splits a text into parts (lines, or fields between separators), and joins parts.
#pragma once
#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>

namespace wperf::text {

// Removes and returns the part of `text` before the first `separator`; after the last part `text` is empty.
inline std::string_view take_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// "a, b, c": texts or whole numbers with the separator between them.
template <typename Parts>
std::string joined(const Parts& parts, std::string_view separator) {
  std::string out;
  std::string_view between;
  for (const auto& part : parts) {
    out += between;
    if constexpr (std::convertible_to<decltype(part), std::string_view>)
      out += std::string_view(part);
    else
      out += std::to_string(part);
    between = separator;
  }
  return out;
}

}  // namespace wperf::text
