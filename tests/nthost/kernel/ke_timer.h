// SPDX-License-Identifier: BSD-3-Clause
// Timers of the cores they were set on.
#pragma once
#include "tests/nthost/kernel/cpu.h"

namespace wperf::nthost {

enum ObjectType : u8 {  // DISPATCHER_HEADER::Type
  kNotificationEvent = 0,
  kSynchronizationEvent = 1,
  kThreadObject = 6,
  kNotificationTimer = 8,
  kSynchronizationTimer = 9,
};

u64 first_due_timer(const Cpu& cpu);  // under dispatcher_lock; ticks, ~0 = no timer
void run_expired_timers(Cpu& cpu);    // at DISPATCH_LEVEL, takes dispatcher_lock: signals, queues DPCs, sets again
u32 timers_set();                     // timers on all cores: must be 0 when the driver is gone
void forget_all_timers();

// The clock interval that the driver requested with ExSetTimerResolution, in 100 ns; 0 if it has no request.
u32 timer_resolution();
void forget_timer_resolution();

}  // namespace wperf::nthost
