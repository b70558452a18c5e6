// SPDX-License-Identifier: BSD-3-Clause
// For tests of messages that no contract fixes: the wording may change, but the message must name the same objects.
#pragma once
#include <initializer_list>
#include <string_view>

namespace wperf::diag {

// True if the message contains all of the objects (names, numbers, options) in this order.
inline bool names_all(std::string_view message, std::initializer_list<std::string_view> objects) {
  for (const std::string_view object : objects) {
    const auto at = message.find(object);
    if (at == std::string_view::npos) return false;
    message.remove_prefix(at + object.size());
  }
  return true;
}

}  // namespace wperf::diag
