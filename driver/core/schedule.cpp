// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/schedule.h"

namespace wperf::driver {
namespace {

u32 greatest_common_divisor(u32 a, u32 b) {
  while (b != 0) {
    const u32 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

bool groups_stay_together(const WperfEventEntry* entries, Ring ring) {
  if (!ring.multiplexed()) {
    return true;
  }
  const u32 block = greatest_common_divisor(ring.length, ring.counters);
  for (u32 i = 0; i < ring.length; ++i) {
    for (u32 k = i + 1; k < ring.length; ++k) {
      const bool same_group = entries[i].group != WPERF_NO_GROUP && entries[i].group == entries[k].group;
      if (same_group && i / block != k / block) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace wperf::driver
