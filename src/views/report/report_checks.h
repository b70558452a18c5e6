// SPDX-License-Identifier: BSD-3-Clause
// Checks of a text or of a JSON document that several tests of this room need.
#pragma once
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

namespace wperf::report {

using Keys = std::set<std::string>;

inline bool finds(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

inline Keys keys_of(const nlohmann::json& object) {
  Keys keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

}  // namespace wperf::report
