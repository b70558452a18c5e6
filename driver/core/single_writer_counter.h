// SPDX-License-Identifier: BSD-3-Clause
// Counters that only one core writes, in its interrupts or with interrupts held off, and that any core reads. With one
// writer no read-modify-write is needed.
#pragma once
#include "base/ints.h"

namespace wperf::driver {

inline void add_to(u64& counter, u64 more) {
  __atomic_store_n(&counter, __atomic_load_n(&counter, __ATOMIC_RELAXED) + more, __ATOMIC_RELAXED);
}

inline u64 value_of(const u64& counter) {
  return __atomic_load_n(&counter, __ATOMIC_RELAXED);
}

}  // namespace wperf::driver
