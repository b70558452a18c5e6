// SPDX-License-Identifier: BSD-3-Clause
// A whole file as read-only memory. Another process may cut the file while it is mapped (a recording is overwritten, or
// lies in a container). Then zeros follow its new end, and has_shrunk() reports it.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ground/diag/result.h"

namespace wperf::os {

class MappedFile {
 public:
  static diag::Result<MappedFile> open(const std::string& path);
  // The same for a file that take_shrunk() reports under another name.
  static diag::Result<MappedFile> open_as(const std::string& path, const std::string& name);
  // On Linux: the open file, which stays open.
  static diag::Result<MappedFile> open_descriptor(int file, const std::string& name);
  // The names of the files opened by these two that have shrunk, each returned once.
  static std::vector<std::string> take_shrunk();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // These bytes are not needed for now: the system may take back their memory. They read as before afterwards.
  void release(size_t begin, size_t end) const;
  // True if a part of the file was read after it had been cut off. On Windows no program can cut a mapped file.
  bool has_shrunk() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  static diag::Result<MappedFile> map(int file, const std::string& name);  // on Linux
  void report_as(const std::string& name);                                 // on Linux
  void unmap();

  std::span<const std::byte> bytes_;  // empty for an empty file
  struct Watch;
  Watch* watch_ = nullptr;  // on Linux
};

}  // namespace wperf::os
