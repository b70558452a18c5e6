// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous procedure calls: only special kernel APCs to the thread that runs on the calling core. The functions are
// called when an interrupt returns to PASSIVE_LEVEL and when threads end.
#pragma once
#include "tests/nthost/kernel/cpu.h"

namespace wperf::nthost {

// Called with interrupts masked when the running thread is about to continue at PASSIVE_LEVEL or at EL0. Runs its APCs
// first. Returns with interrupts masked, at APC_LEVEL if there were any.
void deliver_apcs();
void run_down_apcs();  // called for the running thread when it ends; no APC can be queued to it afterwards
u32 apcs_queued();
u32 apcs_inside();  // the number of threads that are in the routine of an APC
void forget_apcs();

}  // namespace wperf::nthost
