// SPDX-License-Identifier: BSD-3-Clause
// The only place where the driver touches system registers of the core it runs on. Any IRQL, but the caller must stay
// on that core as long as the values matter. Access to a register that the core lacks is an undefined instruction.
#pragma once
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

// Not inlined in any build: nt/guarded_registers.cpp guards the call against the undefined instruction.
u64 read_system_register(Register reg);
void write_system_register(Register reg, u64 value);  // does nothing for read-only registers
void instruction_barrier();
void profiling_barrier();  // afterwards the records profiled on this core are in memory: PSB CSYNC, DSB NSH

}  // namespace wperf::driver
