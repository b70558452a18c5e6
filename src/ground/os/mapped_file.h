// SPDX-License-Identifier: BSD-3-Clause
// A whole file as read-only memory. Another process may truncate the file while it is mapped, for example when it
// overwrites a recording. Then the bytes after the new end read as zeros, and has_shrunk() returns true.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ground/diag/result.h"

namespace wperf::os {

class MappingWatch;

class MappedFile {
 public:
  static diag::Result<MappedFile> open(const std::string& path);
  // Like open(), for a file that take_shrunk() reports under another name.
  static diag::Result<MappedFile> open_as(const std::string& path, const std::string& name);
  // Maps a file that is already open, on Linux. The file stays open.
  static diag::Result<MappedFile> open_descriptor(int file, const std::string& name);
  // The names of files that were opened by these functions and have shrunk since; each name is returned once.
  static std::vector<std::string> take_shrunk();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // Tells the system that these bytes are not needed now, so it may reclaim their memory. They can still be read later.
  void release(size_t begin, size_t end) const;
  // True if bytes beyond the file's new end were read after it was truncated. On Windows no program can truncate a
  // mapped file.
  bool has_shrunk() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  static diag::Result<MappedFile> map(int file, const std::string& name);  // on Linux
  void report_as(const std::string& name);                                 // on Linux
  void unmap();

  std::span<const std::byte> bytes_;  // empty for an empty file
  MappingWatch* watch_ = nullptr;     // on Linux
};

}  // namespace wperf::os
