// SPDX-License-Identifier: BSD-3-Clause
// The interrupt controller, GICv3; each function acts on the calling core. An interrupt's priority equals its IRQL, so
// the priority mask is the IRQL.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

enum Interrupt : u32 {
  kDispatchInterrupt = 0,    // SGI: DPCs, expired timers, another thread to run
  kProfileInterrupt = 23,    // PPI: overflow of the PMU
  kClockInterrupt = 27,      // PPI: CNTV, the next timer is due
  kHeartbeatInterrupt = 30,  // PPI: CNTP
  kNoInterrupt = 1020,       // and above: no interrupt was pending
};

void begin_distributor();     // core 0, once
void begin_cpu_interface();   // each core; everything is masked until set_priority_mask
u32 acknowledge_interrupt();  // returns the interrupt, or kNoInterrupt
void end_interrupt(u32 which);
void send_dispatch_interrupt(u32 cpu);
void set_priority_mask(u32 irql);  // interrupts of a higher IRQL only

}  // namespace wperf::nthost
