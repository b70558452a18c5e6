// SPDX-License-Identifier: BSD-3-Clause
// The clock of samples. It is the counter that QueryPerformanceCounter reads, so programs and driver share it. Any
// IRQL.
#pragma once
#include "base/ints.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

// Seconds and the remainder are converted separately, so that no product overflows below 18 GHz.
inline u64 performance_time_ns() {
  constexpr u64 kNsPerSecond = 1'000'000'000;
  LARGE_INTEGER frequency = {};
  const u64 ticks = static_cast<u64>(KeQueryPerformanceCounter(&frequency).QuadPart);
  const u64 hz = static_cast<u64>(frequency.QuadPart);
  return ticks / hz * kNsPerSecond + ticks % hz * kNsPerSecond / hz;
}

}  // namespace wperf::driver
