// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "ground/os/files.h"
#include "ground/os/unfinished_files.h"

namespace wperf::os {
namespace {

// Handlers that were installed later are called first. This handler is called if they let the process end.
BOOL WINAPI on_end(DWORD) {
  remove_unfinished_files();
  return FALSE;
}

}  // namespace

namespace unfinished_files {

// Outputs are opened with the right to delete them, so they disappear when the last handle is closed.
void remove(const char* path) {
  DeleteFileW(native_path(path).c_str());
}

}  // namespace unfinished_files

void remove_unfinished_when_ended() {
  SetConsoleCtrlHandler(on_end, TRUE);
}

}  // namespace wperf::os
