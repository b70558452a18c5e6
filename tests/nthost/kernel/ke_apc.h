// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous procedure calls: only special kernel APCs to the thread that runs on the calling core. Called where an
// interrupt returns to PASSIVE_LEVEL and where threads end.
#pragma once
#include "tests/nthost/kernel/cpu.h"

namespace wperf::nthost {

// The running thread is about to go on at PASSIVE_LEVEL, or at EL0, with interrupts masked: its APCs run first. Returns
// at APC_LEVEL if there were any, with interrupts masked.
void deliver_apcs();
void run_down_apcs();  // for the running thread, which ends: no APC can be queued to it from here on
u32 apcs_queued();
u32 apcs_inside();  // threads that are in the routine of an APC
void forget_apcs();

}  // namespace wperf::nthost
