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
u64 file_size(const std::string& path);  // 0: there is none
// Of the disk that a file of this name is on, or would be; 0: not known.
u64 free_bytes(const std::string& path);
// When it was last written, in nanoseconds since 1970; now, if it is no file.
u64 last_change_unix_ns(const std::string& path);
// The name of the youngest ordinary file in the current folder that ends so; empty: there is none.
std::string youngest_file(std::string_view ending);
// Is this, behind links, a pipe or a device? What was written there cannot be read again.
bool is_pipe_or_device(const std::string& path);
// Refuses directories and files over `limit` bytes.
diag::Result<std::string> load_text_file(const std::string& path, size_t limit);
// Bytes as they are, below folders that are made where they are missing; see OutputFile.
diag::Result<void> save_with_folders(const std::string& path, std::span<const std::byte> bytes,
                                     Readers readers = Readers::usual);
// It is no error if there is none.
void remove_file(const std::string& path);
// Other bytes from `offset` on, in a file that is there; at its end they are appended.
diag::Result<void> write_into(const std::string& path, u64 offset, std::span<const std::byte> bytes);
// Are both names, behind links, those of one file that is there?
bool is_same_file(const std::string& path, const std::string& other);
// Would what is written to both end in one file, which need not be there yet? What is no ordinary file, such as
// /dev/null, keeps nothing.
bool would_be_one_file(const std::string& path, const std::string& other);
// Behind all links; empty: there is nothing.
std::string real_path(const std::string& path);
// `name` below `directory`, unless name is absolute.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace wperf::os
