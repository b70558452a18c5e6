// SPDX-License-Identifier: BSD-3-Clause
// The handles the driver holds: threads and registry keys.
#pragma once
#include "tests/nthost/kernel/cpu.h"

namespace wperf::nthost {

enum class HandleKind : u32 { none, thread, key };
struct HandleEntry {
  HandleKind kind;
  bool of_kernel;  // opened with OBJ_KERNEL_HANDLE, or by the system's process
  Thread* thread;
  u32 key;
};

HANDLE make_handle(const HandleEntry& entry);
HandleEntry* find_handle(HANDLE handle);  // null if this is not a handle
u32 handles_open();
void forget_handles();

}  // namespace wperf::nthost
