// SPDX-License-Identifier: BSD-3-Clause
// A set of hardware counters that start, stop and are read together: of one core, one DSU cluster or one DMC channel.
// The rotation and accumulation code (unit.h) sees nothing but this face. Counters are numbered 0..used-1; a bank
// knows which hardware counters those are and touches no others. Runs where its registers are: on the unit's core, or
// anywhere for device memory. Cannot fail.
#pragma once
#include "base/ints.h"

namespace wperf::driver {

class CounterBank {
 public:
  virtual void claim() = 0;      // remembers every register it is going to change, then stops its counters
  virtual void give_back() = 0;  // puts all of them back

  virtual void set_event(u32 counter, u32 event) = 0;  // of a stopped counter; it will count from 0
  virtual void run() = 0;                              // all at once where the hardware can
  virtual void halt() = 0;

  virtual u64 read_counter(u32 counter) = 0;
  virtual u32 take_overflows() = 0;  // bit n: counter n passed its top; reading them clears them
  virtual u32 counter_bits() const = 0;
  virtual u64 read_cycles() { return 0; }  // a counter of cycles that never stops, where there is one

 protected:
  ~CounterBank() = default;  // never deleted through this face
};

}  // namespace wperf::driver
