// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "os/files.h"
#include "os/native_path.h"

namespace wperf::os {

// Names such as NUL and COM1 are devices in every folder; only an opened handle tells.
bool may_be_replaced(const std::string& path) {
  const HANDLE file = CreateFileW(native_path(path).c_str(), FILE_READ_ATTRIBUTES,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return GetLastError() == ERROR_FILE_NOT_FOUND;
  BY_HANDLE_FILE_INFORMATION facts{};
  const bool ordinary = GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &facts) != 0 &&
                        (facts.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) == 0 &&
                        facts.nNumberOfLinks == 1;
  CloseHandle(file);
  return ordinary;
}

}  // namespace wperf::os
