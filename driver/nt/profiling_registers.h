// SPDX-License-Identifier: BSD-3-Clause
// Whether the registers of the SPE may be accessed on the core that runs this code. A hypervisor can report an SPE in
// ID_AA64DFR0_EL1.PMSVer and still make accesses to its registers undefined instructions. IRQL <= DISPATCH_LEVEL, on
// the core in question.
#pragma once

namespace wperf::driver {

bool profiling_registers_answer();

}  // namespace wperf::driver
