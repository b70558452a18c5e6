// SPDX-License-Identifier: BSD-3-Clause
// Register frames in physical memory. RAM is never mapped, because the address comes from a request. IRQL
// PASSIVE_LEVEL.
#pragma once
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

void* map_registers(u64 physical, u64 size, DeviceAccess access);  // null if the range is not whole pages, is RAM, or
                                                                   // there is no room
void unmap_registers(void* mapping, u64 size);

}  // namespace wperf::driver
