// SPDX-License-Identifier: BSD-3-Clause
// May the registers of the PMU be accessed on the core that runs this? A hypervisor can let ID_AA64DFR0_EL1.PMUVer say
// so and make their use an undefined instruction. IRQL <= DISPATCH_LEVEL, on the core in question.
#pragma once

namespace wperf::driver {

bool counter_registers_answer();

}  // namespace wperf::driver
