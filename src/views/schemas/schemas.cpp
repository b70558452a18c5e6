// SPDX-License-Identifier: BSD-3-Clause
#include "views/schemas/schemas.h"

#include <algorithm>

namespace wperf::schemas {

const Schema* find(std::string_view name) {
  const auto known = all();
  const auto found = std::find_if(known.begin(), known.end(), [&](const Schema& one) { return one.name == name; });
  return found != known.end() ? &*found : nullptr;
}

std::vector<std::string_view> printed_by(const Schema& schema) {
  constexpr std::string_view kBegin = "`wperf ";
  constexpr char kEnd = '`';
  std::vector<std::string_view> lines;
  std::string_view rest = schema.description;
  for (auto at = rest.find(kBegin); at != std::string_view::npos; at = rest.find(kBegin)) {
    rest.remove_prefix(at + kBegin.size());
    lines.push_back(rest.substr(0, rest.find(kEnd)));
  }
  return lines;
}

}  // namespace wperf::schemas
