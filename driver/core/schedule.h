// SPDX-License-Identifier: BSD-3-Clause
// Determines which entry of a ring of events is on which counter, time slot by time slot. Contains all multiplexing
// arithmetic of the driver. Pure. With F counters, slot r counts entries (F*r + i) mod length, i = 0..F-1.
#pragma once
#include "abi/wire.h"
#include "base/ints.h"

namespace wperf::driver {

struct Ring {
  u32 length = 0;    // entries
  u32 counters = 0;  // F; at least 1 when there are entries

  constexpr bool multiplexed() const { return length > counters; }
  constexpr u32 used() const { return multiplexed() ? counters : length; }  // counters that are ever in use
  // `first` is the entry on counter 0. It represents the slot number r, because only (F*r) mod length matters.
  constexpr u32 entry_on(u32 first, u32 counter) const { return (first + counter) % length; }
  constexpr u32 next_first(u32 first) const { return multiplexed() ? (first + counters) % length : first; }
};

// Whether the members of each group always share a time slot. Slots begin at every multiple of gcd(F, length), so a
// group must lie between two of them.
bool groups_stay_together(const WperfEventEntry* entries, Ring ring);

}  // namespace wperf::driver
