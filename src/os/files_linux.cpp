// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/files.h"

namespace wperf::os {

bool may_be_replaced(const std::string& path) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) return errno == ENOENT;
  return S_ISREG(found.st_mode) && found.st_nlink == 1 && found.st_uid == geteuid();
}

}  // namespace wperf::os
