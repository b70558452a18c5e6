// SPDX-License-Identifier: BSD-3-Clause
// One counted unit (a core, a cluster, a DMC channel) and its counts so far. Accumulation and rotation are implemented
// here for all kinds of counters. A slot ends by rotation (full) or by stopping (partial); without multiplexing the
// only slot lasts from start to stop. Called on a core that can access the unit's registers, under the driver's lock;
// cannot fail.
//
// Counts are valid as long as the registers have the values that were set up, and no counter runs backwards. Otherwise
// the counts since the last fold are lost and reported as lost, and the counters are set up again.
#pragma once
#include "abi/wire.h"
#include "base/event_class.h"
#include "base/ints.h"
#include "base/wide.h"
#include "driver/core/core_bank.h"
#include "driver/core/counter_bank.h"
#include "driver/core/dmc_bank.h"
#include "driver/core/dsu_bank.h"
#include "driver/core/schedule.h"
#include "driver/hal.h"

namespace wperf::driver {

struct Accumulator {  // for one entry
  u64 value;
  u64 slots;
  u64 running_ns;
  u64 running_cycles;
  u64 slot_value;  // counts in the slot that is still open
  u64 full_slots, full_value;
  Wide squares;
};

// The events of one class and how they rotate on its counters; the same for all units of the class.
struct ClassPlan {
  Ring ring;
  u16 events[WPERF_MAX_CORE_EVENTS];
  bool counts_cycles;  // on the first counter that the ring does not use

  u32 counters() const { return ring.used() + (counts_cycles ? 1 : 0); }
};

// Lives in zeroed memory of Hal::allocate; every field is valid when zeroed.
struct Unit {
  EventClass event_class;
  u32 number;  // core, cluster or channel
  u32 core;    // the core that can access its registers; unused for DMC
  Accumulator* entries;

  u32 first;     // ring entry on counter 0 in this slot
  bool claimed;  // the hardware belongs to this session: registers must be restored
  u64 slot_start_ns;
  u64 folded_ns;  // the time up to which counts are in the accumulators
  u64 enabled_ns;
  u64 rounds;
  u64 cycles;
  u32 cycles_source;  // WPERF_CYCLES_…
  u64 last_shared_cycles;
  u64 last[kMaxCounters];
  u64 setup[kMaxCounters];  // the values that the counters' registers had when they began to count
  bool began_late;          // the open slot began late because its registers were lost, so it is not a full one
  u32 losses;
  u64 lost_ns;

  union {
    CoreRegisters core;
    ClusterRegisters cluster;
    DmcRegisters dmc;
  } found;
};

void start_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal);
void fold_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal);
void rotate_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal);
void stop_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal);

// Restores the registers without reading the counts.
void abandon_unit(Unit& unit, CounterBank& bank);

// Ends the open slot at its last fold; does not touch hardware.
void close_partial_slot(Unit& unit, const ClassPlan& plan);

// Fills in the reply as if the unit had been stopped at its last fold. `reply` must be zeroed; its header is not
// touched.
void describe_unit(const Unit& unit, const ClassPlan& plan, WperfCountReply& reply);

}  // namespace wperf::driver
