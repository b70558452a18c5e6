// SPDX-License-Identifier: BSD-3-Clause
// Locks as the functions that wait with one see them. win32_thread.cpp implements the locks.
#pragma once
#include "sim/windows/win32_call.h"

namespace wperf::sim {

// Returns the value that the calling handler returns. A thread that does not get the lock makes its call again;
// `wanted_lock` is then set.
u64 take_section(Win32Call& call, u64 address);
u64 leave_section(Win32Call& call, u64 address);
u64 take_slim(Win32Call& call, u64 address, bool shared);
u64 release_slim(Win32Call& call, u64 address);

}  // namespace wperf::sim
