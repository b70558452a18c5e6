// SPDX-License-Identifier: BSD-3-Clause
// Conversions of Windows' handles and times. For files that end in _win.
#pragma once
#include <windows.h>

#include <cstdint>

#include "base/ints.h"

namespace wperf::os {

// A handle that a header keeps as a number, because it must not need windows.h.
inline HANDLE handle_of(std::intptr_t handle) {
  return reinterpret_cast<HANDLE>(handle);
}

// FILETIME has units of 100 ns.
inline u64 nanoseconds_of(const FILETIME& time) {
  return (u64{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 100;
}

}  // namespace wperf::os
