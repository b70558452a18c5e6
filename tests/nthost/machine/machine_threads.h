// SPDX-License-Identifier: BSD-3-Clause
// Lets a scenario run work on a chosen core. A scenario is a thread on core 0; threads never move between cores.
// Threads of the same priority take turns; a woken thread of the kernel or the driver preempts a workload.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

using ThreadFunction = void (*)(void* context);

// Runs function(context) in a thread of that core at PASSIVE_LEVEL and waits for its end.
void run_on_cpu(u32 cpu, ThreadFunction function, void* context);

// Like run_on_cpu(), without waiting. join() must be called once for each.
struct Thread;
Thread* start_thread(u32 cpu, ThreadFunction function, void* context);
void join(Thread* thread);

// The calling thread gives up its core for this time.
void sleep_ns(u64 nanoseconds);
inline void sleep_ms(u64 milliseconds) {
  sleep_ns(milliseconds * 1'000'000);
}

// The calling thread stays on its core and executes instructions.
void spin_ns(u64 nanoseconds);

// From now on, threads that the driver creates run on this core; until then on the last core. On Windows they may run
// on any core.
void place_driver_threads_on(u32 cpu);

// An interrupt every `nanoseconds` on each core of the mask; 0 = no interrupts. Needed to sample INST_RETIRED: QEMU
// notices an overflow of that event only when the core examines its PMU, for example at an exception.
void set_heartbeat(u64 nanoseconds, u64 core_mask = ~u64{0});
// The heartbeat with which each scenario begins: none, or 50 us under -icount. There QEMU runs one core at a time, each
// until a timer is due; without a heartbeat, a program at EL0 keeps all other cores waiting. But while a core waits,
// QEMU also counts the instructions of other cores for it. So scenarios with exact counts have one busy core and no
// heartbeat.
void set_usual_heartbeat();

}  // namespace wperf::nthost
