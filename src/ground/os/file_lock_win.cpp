// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "ground/os/file_lock.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {

// Opened without leave for others to open it: that is the lock.
diag::Result<std::optional<FileLock>> FileLock::take(const std::string& path) {
  HANDLE const file = CreateFileW(wide_of(path).c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                                  FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION) return std::optional<FileLock>();
  if (file == INVALID_HANDLE_VALUE) return diag::Error{.text = "cannot open " + path, .hint = {}};
  return std::optional(FileLock(reinterpret_cast<std::intptr_t>(file)));
}

FileLock::~FileLock() {
  if (handle_ != kNone) CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

}  // namespace wperf::os
