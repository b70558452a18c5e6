// SPDX-License-Identifier: BSD-3-Clause
// The counters of the core it runs on, set up to interrupt when they overflow: what sampler.h needs of the registers.
// The fixed cycle counter too is written here, if it is sampled: then it is ours until it is given back. Cannot fail.
#pragma once
#include "base/ints.h"
#include "driver/core/pmu_registers.h"
#include "driver/core/sample_request.h"
#include "driver/hal.h"

namespace wperf::driver {

struct SampleRegisters {  // as found, to be put back
  u64 pmcr;
  u64 pmccfiltr;
  u64 cycles;              // PMCCNTR
  u64 enabled;             // PMCNTENSET
  u64 interrupts_enabled;  // PMINTENSET
  u64 event_types[kMaxSampleEvents];
  u32 counter_bits;  // not put back: of the event counters, found by claim()
};

// Neither counts nor interrupts.
void silence_counters(Hal& hal, u64 counter_mask);

// Events are numbered as in the plan.
class SampleBank {
 public:
  SampleBank(Hal& hal, SampleRegisters& found, const SamplePlan& plan) : hal_(hal), found_(found), plan_(plan) {}

  void claim();                       // remembers every register it is going to change; its counters stand still
  void give_back(u64 passed_cycles);  // puts all back, after silence(); the cycle counter as if it had only been read
  void run();                         // counts, and interrupts
  void silence() { silence_counters(hal_, plan_.counter_mask); }

  u64 read(u32 event);                          // how far its counter is beyond 0
  void set_before_overflow(u32 event, u64 by);  // of a counter that stands still

  // The two halves of an interrupt: stops the counters that overflowed and names their events as a set of bits, none
  // after silence(); then takes their flags away and lets them count on.
  u32 pause_overflowed();
  void resume(u32 events);

 private:
  Register counter_of(u32 event) const;
  u64 wrap(u32 event, u64 value) const;
  u64 filter() const { return plan_.kernel ? 0 : kExcludeEl1; }

  Hal& hal_;
  SampleRegisters& found_;
  const SamplePlan& plan_;
};

}  // namespace wperf::driver
