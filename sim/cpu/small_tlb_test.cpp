// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/small_tlb.h"

#include <gtest/gtest.h>

#include "sim/memory/lru_sets.h"

namespace wperf::sim {
namespace {

TEST(SmallTlb, AgreesWithAListKeptInOrderOfUse) {
  SmallTlb tlb(48);
  LruSets list(48, 48);
  u64 state = 88172645463325252U;
  for (int i = 0; i < 200000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    // Most accesses are to a few pages, and some pages share a chain.
    const u64 page = (state & 0x700) != 0 ? state % 40 : (state >> 20 & 0x3ff);
    const bool there = tlb.touch(page);
    ASSERT_EQ(there, list.touch(page, false)) << i;
    if (there) continue;
    tlb.insert(page);
    list.insert(page, false);
  }
}

}  // namespace
}  // namespace wperf::sim
