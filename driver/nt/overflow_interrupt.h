// SPDX-License-Identifier: BSD-3-Clause
// The counters' overflow interrupt. Windows passes it to a single handler for the whole machine, registered through the
// HAL (HalProfileSourceInterruptHandler, in ntddk.h; Microsoft's page calls its values reserved). So it is registered
// only when sampling starts for the first time, and kept until the driver is unloaded; during that time Windows' own
// sampling by counters gets no interrupts. All functions are called at IRQL PASSIVE_LEVEL, one at a time; the handler
// runs above DISPATCH_LEVEL.
#pragma once
#include "driver/hal.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

// Calls Core::on_overflow of one driver core.
struct OverflowTaker {
  u64 (*take)(void* core, u32 number, const InterruptedContext& interrupted);
  void* core;
};

// From now on interrupts go to `taker`, which must live until disconnected. Fails if the HAL refuses.
[[nodiscard]] NTSTATUS connect_overflow_interrupt(const OverflowTaker& taker);

// Returns WPERF_INTERRUPT_… without calling the HAL.
u32 overflow_interrupt_state();

// When it returns, no interrupt is running in the core, and none will come. Does nothing if it was not connected.
void disconnect_overflow_interrupt();

// Called before the driver's code is unloaded. If the HAL keeps the handler, `driver` gets a reference that keeps its
// code in memory.
void give_overflow_interrupt_back(DRIVER_OBJECT* driver);

}  // namespace wperf::driver
