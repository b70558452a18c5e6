// SPDX-License-Identifier: BSD-3-Clause
// Whole files in and out. Paths are UTF-8 on every system.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/new_file.h"

namespace wperf::os {

bool file_exists(const std::string& path);
u64 file_size(const std::string& path);  // 0 if there is no such file
// On the disk of a file with this name, which need not exist; 0 if unknown.
u64 free_bytes(const std::string& path);
// When it was last written, in nanoseconds since 1970; now, if it is not a file.
u64 last_change_unix_ns(const std::string& path);
// The name of the youngest ordinary file in the current folder with this ending; empty: no such file.
std::string youngest_file(std::string_view ending);
// Is this, with links followed, a pipe or a device? Output to those cannot be read again.
bool is_pipe_or_device(const std::string& path);
// Refuses directories and files over `limit` bytes.
diag::Result<std::string> load_text_file(const std::string& path, size_t limit);
// Unchanged bytes; creates missing folders; see OutputFile.
diag::Result<void> save_with_folders(const std::string& path, std::span<const std::byte> bytes,
                                     Readers readers = Readers::usual);
// A missing file is not an error.
void remove_file(const std::string& path);
// Replaces the bytes from `offset` on in an existing file; at its end they are appended.
diag::Result<void> write_into(const std::string& path, u64 offset, std::span<const std::byte> bytes);
// Do both names, with links followed, lead to the same existing file?
bool is_same_file(const std::string& path, const std::string& other);
// Would output to both end in one file, which need not exist yet? Special files such as /dev/null keep nothing and do
// not count.
bool would_be_one_file(const std::string& path, const std::string& other);
// The name with all links followed; empty if the file does not exist.
std::string real_path(const std::string& path);
// `name` below `directory`, unless name is absolute.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace wperf::os
