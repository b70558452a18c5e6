// SPDX-License-Identifier: BSD-3-Clause
// The last part of a path, whichever system wrote it.
#pragma once
#include <string_view>

namespace wperf::text {

// The part after the last '/' or '\\'; the whole text if there is no separator.
constexpr std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);  // npos + 1: 0
}

// Returns a name without a '.' unchanged.
constexpr std::string_view without_extension(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

}  // namespace wperf::text
