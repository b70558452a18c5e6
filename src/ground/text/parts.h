// SPDX-License-Identifier: BSD-3-Clause
// Splits a text into parts: lines, or fields between separators.
#pragma once
#include <algorithm>
#include <string_view>

namespace wperf::text {

// Removes and returns the part of `text` before the first `separator`; after the last part `text` is empty.
inline std::string_view take_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

}  // namespace wperf::text
