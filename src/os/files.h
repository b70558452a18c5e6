// SPDX-License-Identifier: BSD-3-Clause
// Whole files in and out. Paths are UTF-8 on every system.
#pragma once
#include <string>
#include <string_view>

#include "diag/result.h"

namespace wperf::os {

bool file_exists(const std::string& path);
// Refuses directories and files over `limit` bytes.
diag::Result<std::string> load_text_file(const std::string& path, size_t limit);
// Replaces the file; text mode, so lines end as the system wants it.
diag::Result<void> save_text_file(const std::string& path, std::string_view text);
// `name` below `directory`, unless name is absolute.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace wperf::os
