// SPDX-License-Identifier: BSD-3-Clause
// A whole file as read-only memory. Who may write to a file may also cut it while it is mapped (a recording is made
// anew, or lies in somebody's container). From where it ends then, there are zeros, and has_shrunk() tells.
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
  // The same of a file that is called otherwise: by what take_shrunk() names it.
  static diag::Result<MappedFile> open_as(const std::string& path, const std::string& name);
  // The names of those opened by open_as() that has_shrunk() is or was true of, each told once.
  static std::vector<std::string> take_shrunk();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // These bytes are not needed for now: the system may take their memory back. They read as before afterwards.
  void release(size_t begin, size_t end) const;
  // Something that was read was not there any more. Windows lets nobody cut a mapped file.
  bool has_shrunk() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  void unmap();

  std::span<const std::byte> bytes_;  // an empty file has none
  struct Watch;
  Watch* watch_ = nullptr;  // on Linux
};

}  // namespace wperf::os
