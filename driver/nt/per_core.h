// SPDX-License-Identifier: BSD-3-Clause
// Work on a given core. Cores are numbered over all processor groups, as KeGetProcessorNumberFromIndex does. IRQL
// PASSIVE_LEVEL; the call on the core runs at DISPATCH_LEVEL.
#pragma once
#include "abi/status.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

u32 active_core_count();

// Runs call(context) on the core as a deferred procedure call and waits for it. If this fails, call has not run.
[[nodiscard]] WperfStatus run_deferred(u32 core, PerCoreCall call, void* context);

// Waits until all interrupt handlers that are running now have ended.
void wait_for_interrupts_to_end();

}  // namespace wperf::driver
