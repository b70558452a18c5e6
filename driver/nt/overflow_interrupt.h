// SPDX-License-Identifier: BSD-3-Clause
// The counters' overflow interrupt. Windows hands it to one handler of the whole machine, registered through the HAL
// (HalProfileSourceInterruptHandler, in ntddk.h; Microsoft's page calls its values reserved). So it is registered only
// when somebody wants to sample and kept until the driver is unloaded; meanwhile Windows' own sampling by counters gets
// none of its interrupts. All at IRQL PASSIVE_LEVEL, one at a time; the handler runs above DISPATCH_LEVEL.
#pragma once
#include "driver/core/core.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

// From now on interrupts go to `core`. Fails where the HAL does not let us have them.
[[nodiscard]] NTSTATUS connect_overflow_interrupt(Core& core);

// WPERF_INTERRUPT_…; the HAL is not asked for anything.
u32 overflow_interrupt_state();

// When it returns, no interrupt is in `core` any more, and none will come. Does nothing if it was not connected.
void disconnect_overflow_interrupt();

// Before the driver's code goes. If the HAL keeps the handler, `driver` gets a reference that keeps its code in memory.
void give_overflow_interrupt_back(DRIVER_OBJECT* driver);

}  // namespace wperf::driver
