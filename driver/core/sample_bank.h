// SPDX-License-Identifier: BSD-3-Clause
// The register accesses that sampler.h needs: the counters of the core that this code runs on, set up to interrupt when
// they overflow. The fixed cycle counter belongs to the system and is not touched; cycles are sampled like any event.
// Cannot fail.
#pragma once
#include "base/ints.h"
#include "driver/core/pmu_registers.h"
#include "driver/core/sample_request.h"
#include "driver/hal.h"

namespace wperf::driver {

struct SampleRegisters {  // values before claim(), to be restored
  u64 pmcr;
  u64 enabled;             // PMCNTENSET
  u64 interrupts_enabled;  // PMINTENSET
  u64 event_types[kMaxSampleEvents];
  // Not restored:
  u32 counter_bits;                 // found by claim()
  u64 types_set[kMaxSampleEvents];  // the event types, as read back after they were set
};

// Stops the counters and disables their interrupts.
void silence_counters(Hal& hal, u64 counter_mask);

// Events are numbered as in the plan.
class SampleBank {
 public:
  SampleBank(Hal& hal, SampleRegisters& found, const SamplePlan& plan) : hal_(hal), found_(found), plan_(plan) {}

  void claim();      // saves every register that it is going to change, then prepares
  void prepare();    // sets events; the counters stay stopped. Also after the registers were lost
  void give_back();  // restores all registers, after silence()
  void run();        // counts, and interrupts
  void silence() { silence_counters(hal_, plan_.counter_mask); }

  // Returns false if the bank should run but its registers were lost. A core that powers down may forget them, and
  // other software may write them.
  bool is_set_up();
  // Like is_set_up(), but checks only the types of these events, because their interrupt does not check them.
  bool counts_for(u32 events);

  u64 read(u32 event);                          // the value of the event's counter
  void set_before_overflow(u32 event, u64 by);  // for a stopped counter

  // The two halves of an interrupt. The first stops the counters that overflowed and returns their events as a bit set,
  // empty after silence(). The second clears their flags and lets them continue.
  u32 pause_overflowed();
  void resume(u32 events);

 private:
  Register counter_of(u32 event) const { return event_counter(plan_.counters[event]); }
  u64 wrap(u64 value) const { return found_.counter_bits == 64 ? value : value & 0xffff'ffff; }
  u64 filter() const { return plan_.kernel ? 0 : kExcludeEl1; }

  Hal& hal_;
  SampleRegisters& found_;
  const SamplePlan& plan_;
};

}  // namespace wperf::driver
