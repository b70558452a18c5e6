// SPDX-License-Identifier: BSD-3-Clause
// A file that one process at a time holds, for work that must not be done twice at once. The system releases it when
// the process ends, however that happens.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ground/diag/result.h"

namespace wperf::os {

class FileLock {
 public:
  // Does not wait. A missing file is made, and stays. Returns nullopt if another process holds it, and an error if it
  // is a link, which is not followed, or cannot be opened.
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

}  // namespace wperf::os
