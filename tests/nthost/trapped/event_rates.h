// SPDX-License-Identifier: BSD-3-Clause
// The counts of the PMU in the trapped mode. Every event is a fixed share of the executed instructions, so a test knows
// each count in advance. Shared by the register model at EL2 and the scenarios that check the driver's reports. Pure.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

struct Rate {
  u32 numerator;
  u32 denominator;
};

inline constexpr u32 kSwIncrement = 0x00;
inline constexpr u32 kInstRetired = 0x08;
inline constexpr u32 kCpuCycles = 0x11;

// The common events of this PMU: 0x00..0x3f, except events that cannot be a share of the instructions.
inline constexpr u64 kTrappedCommonEvents = 0x0000'001f'ffff'ffff & ~(u64{1} << 0x1e);  // not CHAIN

// Events other than the common events count as well, as on real cores.
constexpr Rate rate_of(u32 event) {
  switch (event) {
    case kSwIncrement:
      return {0, 1};
    case kInstRetired:
      return {1, 1};
    case kCpuCycles:
      return {2, 1};
    default:
      return {event % 13 + 1, 16};
  }
}

constexpr u64 events_in(u32 event, u64 instructions) {
  const Rate rate = rate_of(event);
  return instructions / rate.denominator * rate.numerator +
         instructions % rate.denominator * rate.numerator / rate.denominator;
}

}  // namespace wperf::nthost
