// SPDX-License-Identifier: BSD-3-Clause
// Whole files in and out. Paths are UTF-8 on every system.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "diag/result.h"

namespace wperf::os {

bool file_exists(const std::string& path);
// Refuses directories and files over `limit` bytes.
diag::Result<std::string> load_text_file(const std::string& path, size_t limit);
// Replaces the file; text mode, so lines end as the system wants it.
diag::Result<void> save_text_file(const std::string& path, std::string_view text);
// The same for bytes as they are; makes the folders, and shows the file under its name only when it is whole.
diag::Result<void> save_file_at_once(const std::string& path, std::span<const std::byte> bytes);
// `name` below `directory`, unless name is absolute.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace wperf::os
