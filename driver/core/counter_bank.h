// SPDX-License-Identifier: BSD-3-Clause
// A set of hardware counters that start, stop and are read together: the counters of one core, one DSU cluster or one
// DMC channel. The rotation and accumulation code (unit.h) knows only this interface. Counters are numbered 0..used-1;
// a bank knows which hardware counters those are and touches no others. Runs on the unit's core, or on any core if the
// registers are device memory. Cannot fail.
#pragma once
#include "base/ints.h"

namespace wperf::driver {

// The initial value of counters. It is not 0, so a counter that another user resets to 0 appears to run backwards, and
// the reset is noticed. The remaining range between two reads, 1.75 times 2^32, is more than a core can count in that
// time.
inline constexpr u32 kFirstCount = 0x4000'0000;

class CounterBank {
 public:
  virtual void claim() = 0;  // saves every register that it is going to change, then prepares
  // Stops the bank's counters, so that events can be set; may be called after the registers were lost.
  virtual void prepare() = 0;
  virtual void give_back() = 0;  // restores the saved registers

  virtual void set_event(u32 counter, u32 event) = 0;  // for a stopped counter; it will start at kFirstCount
  virtual void run() = 0;                              // starts all counters, simultaneously if the hardware can
  virtual void halt() = 0;
  // The registers that make the counter count, as one word. If it differs from the word after run(), the registers were
  // lost. A core that powers down may forget them, and another user may write them.
  virtual u64 setup_of(u32 counter) = 0;

  virtual u64 read_counter(u32 counter) = 0;
  virtual u32 take_overflows() = 0;  // bit n: counter n passed its top; reading them clears them
  virtual u32 counter_bits() const = 0;
  // A cycle counter that the system keeps running, if any; the driver only reads it.
  virtual bool has_shared_cycles() { return false; }
  virtual u64 read_shared_cycles() { return 0; }

 protected:
  ~CounterBank() = default;  // never deleted through this interface
};

}  // namespace wperf::driver
