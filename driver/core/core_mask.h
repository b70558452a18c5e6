// SPDX-License-Identifier: BSD-3-Clause
// The set of cores that a count or sample request chooses. Pure.
#pragma once
#include "abi/wire.h"
#include "base/bits.h"
#include "base/ints.h"

namespace wperf::driver {

using CoreMask = wperf_u64[WPERF_MAX_CORES / 64];

constexpr bool has_core(const CoreMask& mask, u32 core) {
  return bit_field(mask[core / 64], core % 64, 1) != 0;
}

constexpr u32 count_cores(const CoreMask& mask) {
  u32 count = 0;
  for (const u64 word : mask) {
    count += count_ones(word);
  }
  return count;
}

constexpr bool has_core_beyond(const CoreMask& mask, u32 core_count) {
  for (u32 core = core_count; core < WPERF_MAX_CORES; ++core) {
    if (has_core(mask, core)) {
      return true;
    }
  }
  return false;
}

}  // namespace wperf::driver
