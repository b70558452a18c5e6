// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "ground/os/own_memory.h"

namespace wperf::os {

bool copy_own_memory(const void* from, std::span<std::byte> to) {
  SIZE_T copied = 0;
  return to.empty() ||
         (ReadProcessMemory(GetCurrentProcess(), from, to.data(), to.size(), &copied) != 0 && copied == to.size());
}

}  // namespace wperf::os
