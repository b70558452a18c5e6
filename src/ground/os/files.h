// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes whole files. Paths are UTF-8 on every system.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/new_file.h"

namespace wperf::os {

bool file_exists(const std::string& path);
u64 file_size(const std::string& path);  // 0 if there is no such file
// The free space, in bytes, of the disk for a file with this name, which need not exist; 0 if unknown.
u64 free_bytes(const std::string& path);
// The time when the file was last written, in nanoseconds since 1970; the present time if it is not a file.
u64 last_change_unix_ns(const std::string& path);
// The name of the newest ordinary file with this ending in the current folder; empty if there is no such file.
std::string youngest_file(std::string_view ending);
// Is this path, with links followed, a pipe or a device? Output to a pipe or device cannot be read again.
bool is_pipe_or_device(const std::string& path);
// Refuses directories and files over `limit` bytes.
diag::Result<std::string> load_text_file(const std::string& path, size_t limit);
// Writes bytes unchanged; creates missing folders; see OutputFile.
diag::Result<void> save_with_folders(const std::string& path, std::span<const std::byte> bytes,
                                     Readers readers = Readers::usual);
// A missing file does not cause an error.
void remove_file(const std::string& path);
// Replaces the bytes from `offset` on in an existing file. Bytes beyond its end are appended.
diag::Result<void> write_into(const std::string& path, u64 offset, std::span<const std::byte> bytes);
// Do both names, with links followed, lead to the same existing file?
bool is_same_file(const std::string& path, const std::string& other);
// Would output to both names be written to the same file? The file need not exist yet. Returns false for special files
// such as /dev/null, which store nothing.
bool would_be_one_file(const std::string& path, const std::string& other);
// The name with all links followed; empty if the file does not exist.
std::string real_path(const std::string& path);
// `name` below `directory`; an absolute name stays as it is.
std::string join_path(const std::string& directory, const std::string& name);

// A UTF-8 path in the form of the system's file calls. On Windows this form has no limit of 260 characters.
std::filesystem::path native_path(const std::string& utf8);

// Keeps a cache folder small.

// Removes files of the folder, but not of its subfolders, oldest first, until the remaining files have at most `limit`
// bytes. A file that cannot be removed stays: another process may be using it.
void remove_oldest_files(const std::string& folder, std::uint64_t limit);

// A lock file, held by one process at a time, for work that two processes must not do at the same time. The system
// releases the lock however the process ends.
class FileLock {
 public:
  // Does not wait. A missing file is created, and is not removed later. Returns nullopt if another process holds the
  // lock. Returns an error if the file is a link, which is not followed, or cannot be opened.
  static diag::Result<std::optional<FileLock>> take(const std::string& path);
  FileLock(FileLock&& other) noexcept : handle_(other.handle_) { other.handle_ = kNone; }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  static constexpr std::intptr_t kNone = -1;
  explicit FileLock(std::intptr_t handle) : handle_(handle) {}
  std::intptr_t handle_;
};

// Input that can be read only once, from its beginning to its end: pipes and standard input.
inline constexpr char kStandardInput[] = "-";

// A named pipe, or standard input.
bool is_stream(const std::string& path);
bool is_folder(const std::string& path);
// Reads up to the end of the stream; waits for more bytes if needed.
diag::Result<std::vector<std::byte>> read_stream(const std::string& path);

}  // namespace wperf::os
