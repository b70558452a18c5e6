// SPDX-License-Identifier: BSD-3-Clause
// The trapped mode: QEMU's machine with EL2, where a small hypervisor gives each core a PMU with more events and
// counters, a separate MIDR, and SPE's registers. The kernel uses it only through the functions of this header. It
// needs -icount with a fixed shift, because it reads executed instructions from QEMU's own INST_RETIRED.
#pragma once
#include "base/ints.h"
#include "tests/nthost/trapped/pmu_model.h"

namespace wperf::nthost {

// A core's identity; a scenario compares it with the driver's report.
struct TrappedCore {
  u64 midr;
  u32 counters;
};
inline constexpr TrappedCore kTrappedCores[] = {
    {0x413f'd0c1, 6},  // Neoverse N1 r3p1
    {0x411f'd402, 8},  // Neoverse V1 r1p2
    {0x413f'd0c1, 6},
    {0x412f'd050, 7},  // Cortex-A55 r2p0
};
inline constexpr u64 kTrappedPmuVersion = 4;  // PMUv3 for Armv8.1: 16 bits of event number, 32-bit counters
inline constexpr u64 kTrappedPmsidr = 0x0002'6497;
inline constexpr u64 kTrappedPmbidr = 0x26;
inline constexpr u64 kTrappedSpeEvents = 0xffff'0000'ff00'f0aa;  // the bits that PMSEVFR_EL1 keeps

// Instructions executed so far on the core the caller runs on.
Work work_done();

// From now on the driver's accesses to PMU registers are undefined instructions on these cores (a bit each); the
// identification registers still report a PMU. Windows' own accesses, which this host makes, are not affected.
void make_pmu_undefined(u64 cores_mask);

// The kernel calls these. Outside of the trapped mode they do nothing or return false.

// Called at every heartbeat of a core: EL2 checks its counters and pends the PMU interrupt if one has overflowed.
void trapped_heartbeat();

// Called for an undefined instruction at EL1. Returns true if it was an access to SPE's registers and has been
// emulated. `x` are the registers of the interrupted code; the caller then continues after the instruction.
bool trapped_undefined(u32 instruction, u64* x);

// For scenarios: a core's SPE registers in the simulated hardware.
enum class SpeRegister : u32 { pmscr, pmsicr, pmsirr, pmsfcr, pmsevfr, pmslatfr, pmblimitr, pmbptr, pmbsr };
inline constexpr u32 kSpeRegisters = 9;
u64 trapped_spe(u32 core, SpeRegister reg);
void set_trapped_spe(u32 core, SpeRegister reg, u64 value);

// The writes since the log was last cleared, oldest first. The count may exceed the number of kept writes.
struct SpeWrite {
  SpeRegister reg;
  u64 value;
};
inline constexpr u32 kMostSpeWrites = 64;
struct SpeWrites {
  u32 count;
  SpeWrite writes[kMostSpeWrites];
};
const SpeWrites& trapped_spe_writes(u32 core);
void forget_trapped_spe_writes();
void make_spe_undefined(bool undefined);  // makes its registers undefined; ID_AA64DFR0_EL1.PMSVer still reports an SPE

// Makes the hardware write a record at the address in PMBPTR_EL1. Returns false if it does not profile. If the buffer
// then has no room for another record, PMBSR_EL1 reports that it is full, and profiling stops. May be called on any
// core.
bool trapped_profile(u32 core, const u8* record, u32 size);

}  // namespace wperf::nthost
