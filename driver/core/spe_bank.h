// SPDX-License-Identifier: BSD-3-Clause
// The SPE registers of the core that this code runs on, as spe_profiler.h needs them. Nothing here waits or can fail,
// and all calls may run in the buffer's interrupt.
#pragma once
#include "base/ints.h"
#include "driver/core/spe_request.h"
#include "driver/hal.h"

namespace wperf::driver {

struct SpeRegisters {  // values before claim(), to be restored
  u64 pmscr, pmsicr, pmsirr, pmsfcr, pmsevfr, pmsnevfr, pmslatfr;
  u64 pmblimitr, pmbptr, pmbsr;
};

struct SpeMemory {  // the memory that the hardware may write
  u64 begin, end;
};

// The state found when stopping.
struct SpeStop {
  u64 pmbsr;
  u64 written_to;  // PMBPTR
  u64 pmblimitr;
};

class SpeBank {
 public:
  SpeBank(Hal& hal, bool filters_absent_events) : hal_(hal), filters_absent_events_(filters_absent_events) {}

  bool in_use();            // another driver profiles on this core, or is about to
  u64 filterable_events();  // PMSEVFR keeps only the bits that the core can filter by; not while in use
  void claim(SpeRegisters& found) const;
  void give_back(const SpeRegisters& found);  // after stop()

  void set_up(const SpePlan& plan);     // everything except the buffer; profiling is off
  bool is_set_up(const SpePlan& plan);  // false if the core has lost its registers since
  void run(const SpePlan& plan, const SpeMemory& memory);
  SpeStop stop();    // afterwards all records are in memory, and the interrupt's line is low
  u64 silence();     // like stop(), but for an interrupt in the middle of these calls; returns PMBSR
  u64 status();      // PMBSR
  u64 written_to();  // PMBPTR; may be out of date while profiling

 private:
  Hal& hal_;
  const bool filters_absent_events_;
};

}  // namespace wperf::driver
