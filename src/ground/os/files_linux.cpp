// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "ground/os/files.h"

namespace wperf::os {

std::filesystem::path native_path(const std::string& utf8) {
  return {utf8};
}

diag::Result<std::optional<FileLock>> FileLock::take(const std::string& path) {
  constexpr mode_t kOnlyOwner = 0600;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOnlyOwner);
  if (file < 0 && errno == ELOOP) return diag::Error{.text = path + " is a link and not a lock of wperf", .hint = {}};
  if (file < 0) return diag::system_error("cannot open " + path, errno);
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return std::optional(FileLock(file));
  close(file);
  return std::optional<FileLock>();
}

FileLock::~FileLock() {
  if (handle_ != kNone) close(static_cast<int>(handle_));
}

}  // namespace wperf::os
