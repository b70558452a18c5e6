// SPDX-License-Identifier: BSD-3-Clause
// The trapped mode: QEMU's machine with EL2, where a small hypervisor gives each core a PMU with more events and
// counters, a separate MIDR, and SPE's registers. The kernel above does not know, except for the calls of this header.
// Needs fixed-shift -icount: work done is read from QEMU's own INST_RETIRED.
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
inline constexpr u64 kTrappedSpeEvents = 0xffff'0000'ff00'f0aa;  // that PMSEVFR_EL1 keeps

// Instructions executed so far on the core the caller runs on.
Work work_done();

// The driver's accesses to PMU registers on these cores are undefined instructions from now on, a bit each; the
// identification registers show a PMU all the same. Windows' own, the host's, are not touched by it.
void make_pmu_undefined(u64 cores_mask);

// The kernel calls these; each does nothing, or says false, outside of the trapped mode.

// At every heartbeat of a core: EL2 looks at its counters and pends the PMU interrupt if one has overflowed.
void trapped_heartbeat();

// An instruction was undefined at EL1: returns true if it was an access to SPE's registers and has been carried out.
// `x` are the registers of the interrupted code; the caller then goes on after the instruction.
bool trapped_undefined(u32 instruction, u64* x);

// Scenarios call these: the SPE of a core as the hardware has it.
enum class SpeRegister : u32 { pmscr, pmsicr, pmsirr, pmsfcr, pmsevfr, pmslatfr, pmblimitr, pmbptr, pmbsr };
inline constexpr u32 kSpeRegisters = 9;
u64 trapped_spe(u32 core, SpeRegister reg);
void set_trapped_spe(u32 core, SpeRegister reg, u64 value);

// The writes since they were last forgotten, oldest first; the count may be more than are kept.
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
void make_spe_undefined(bool undefined);  // its registers are; ID_AA64DFR0_EL1.PMSVer shows it all the same

// The hardware writes a record where PMBPTR_EL1 points, if it is profiling; false if not. A buffer without room for
// another one is full: PMBSR_EL1 says so and profiling stops. From any core.
bool trapped_profile(u32 core, const u8* record, u32 size);

}  // namespace wperf::nthost
