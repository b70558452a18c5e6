// SPDX-License-Identifier: BSD-3-Clause
// The counters of the cores that are reserved for this driver. The HAL manages reservations
// (HalAllocateHardwareCounters), but not all software uses it: counters that already run or interrupt belong to another
// user, too. IRQL PASSIVE_LEVEL.
#pragma once
#include "abi/status.h"
#include "base/ints.h"
#include "driver/hal.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

class CounterReservation {
 public:
  // `free_mask`: counters that are free on every core. An empty mask is not an error.
  [[nodiscard]] WperfStatus take(Hal& hal, u32* free_mask);
  void give_back();

 private:
  u32 ask_for_each(u32 wanted, bool* asked_in_vain);
  u32 ask_for_all(u32 wanted);

  static constexpr u32 kCounters = 31;
  HANDLE single_[kCounters] = {};
  HANDLE whole_unit_ = nullptr;
};

}  // namespace wperf::driver
