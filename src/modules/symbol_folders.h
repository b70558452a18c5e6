// SPDX-License-Identifier: BSD-3-Clause
// The folders of --symbol-path, below which the files of the machine of a recording may lie: between them stands ; or
// the : of PATH. Called where recordings are named.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "request/request.h"

namespace wperf::modules {

inline std::vector<std::string> symbol_folders(const std::string& path) {
  std::vector<std::string> folders;
  for (usize begin = 0; begin <= path.size();) {
    const usize end = std::min(path.find_first_of(";:", begin), path.size());
    if (end > begin) folders.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

inline std::vector<std::string> symbol_folders(const request::Request& request) {
  return symbol_folders(request.sampling.symbol_path.value_or(""));
}

}  // namespace wperf::modules
