// SPDX-License-Identifier: BSD-3-Clause
// A UTF-8 path as the system's file calls want it. On Windows that lifts the limit of 260 characters.
#pragma once
#include <filesystem>
#include <string>

namespace wperf::os {

std::filesystem::path native_path(const std::string& utf8);

}  // namespace wperf::os
