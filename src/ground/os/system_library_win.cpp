// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/system_library_win.h"

#include <windows.h>

namespace wperf::os {

SystemLibrary::SystemLibrary(const wchar_t* name)
    : library_(LoadLibraryExW(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32)) {}

void* SystemLibrary::find(const char* name) const {
  if (library_ == nullptr) return nullptr;
  const FARPROC found = GetProcAddress(static_cast<HMODULE>(library_), name);
  void* address = nullptr;
  static_assert(sizeof found == sizeof address);
  std::memcpy(&address, &found, sizeof found);
  return address;
}

}  // namespace wperf::os
