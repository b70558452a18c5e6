// SPDX-License-Identifier: BSD-3-Clause
// A whole file as read-only memory. The file must not shrink while it is mapped: symbol files don't.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "diag/result.h"

namespace wperf::os {

class MappedFile {
 public:
  static diag::Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // These bytes are not needed for now: the system may take their memory back. They read as before afterwards.
  void release(size_t begin, size_t end) const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  void unmap();

  std::span<const std::byte> bytes_;  // an empty file has none
};

}  // namespace wperf::os
