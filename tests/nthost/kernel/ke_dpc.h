// SPDX-License-Identifier: BSD-3-Clause
// Queues of deferred procedure calls, one per core.
#pragma once
#include "tests/nthost/kernel/cpu.h"

namespace wperf::nthost {

bool queue_dpc_locked(KDPC& dpc, PVOID argument1, PVOID argument2);  // under dispatcher_lock
void run_queued_dpcs(Cpu& cpu);                                      // at DISPATCH_LEVEL, without locks
u32 dpcs_queued();

}  // namespace wperf::nthost
