// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>
// After windows.h, which it needs.
#include <psapi.h>

#include "ground/os/process.h"
#include "ground/os/system_library_win.h"

namespace wperf::os {
namespace {

u64 nanoseconds(const FILETIME& time) {
  return (u64{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 100;
}

}  // namespace

OwnCost own_cost() {
  OwnCost cost;
  FILETIME created{}, ended{}, kernel{}, user{};
  if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user) != 0) {
    cost.cpu_ns = nanoseconds(kernel) + nanoseconds(user);
  }
  // Exists since Windows 7, under different names in psapi.h.
  BOOL(WINAPI * memory_of)(HANDLE, PROCESS_MEMORY_COUNTERS*, DWORD) = nullptr;
  PROCESS_MEMORY_COUNTERS memory{};
  if (SystemLibrary(L"kernel32.dll").bind("K32GetProcessMemoryInfo", memory_of) &&
      memory_of(GetCurrentProcess(), &memory, sizeof memory) != 0) {
    cost.resident_bytes = memory.WorkingSetSize;
    cost.most_bytes = memory.PeakWorkingSetSize;
  }
  return cost;
}

bool copy_own_memory(const void* from, std::span<std::byte> to) {
  SIZE_T copied = 0;
  return to.empty() ||
         (ReadProcessMemory(GetCurrentProcess(), from, to.data(), to.size(), &copied) != 0 && copied == to.size());
}

std::span<const std::byte> vdso_image() {
  return {};
}

}  // namespace wperf::os
