// SPDX-License-Identifier: BSD-3-Clause
// Fields of the PMUv3 and DSU registers the driver reads and writes (Arm ARM, "Performance Monitors registers"; DSU
// TRM, "PMU registers"). Pure.
#pragma once
#include "abi/wire.h"
#include "base/bits.h"
#include "base/ints.h"

namespace wperf::driver {

inline constexpr u32 kMaxCounters = WPERF_MAX_COUNTERS;
inline constexpr u32 kCycleCounter = 31;  // the fixed cycle counter, which belongs to the system: its bit in the enable
                                          // and overflow registers

// PMCR_EL0, and CLUSTERPMCR_EL1 for the fields that it has
inline constexpr u64 kPmcrEnable = 1u << 0;
inline constexpr u64 kPmcrResetEvents = 1u << 1;
inline constexpr u64 kPmcrResetCycles = 1u << 2;
inline constexpr u64 kPmcrDivideCycles = 1u << 3;  // the cycle counter ticks every 64 cycles
inline constexpr u64 kPmcrLongCycles = 1u << 6;    // the cycle counter overflows at 64 bits
inline constexpr u64 kPmcrLongEvents = 1u << 7;    // counters overflow at 64 bits; PMUv3p5
constexpr u32 counters_of_pmcr(u64 pmcr) {
  return static_cast<u32>(bit_field(pmcr, 11, 5));
}

// PMEVTYPER<n>_EL0
inline constexpr u64 kExcludeEl1 = u64{1} << 31;
inline constexpr u64 kEventMask = 0xffff;
inline constexpr u32 kCyclesEvent = 0x11;

// ID_AA64DFR0_EL1
constexpr u32 pmu_version(u64 id_aa64dfr0) {
  return static_cast<u32>(bit_field(id_aa64dfr0, 8, 4));
}
constexpr u32 spe_version(u64 id_aa64dfr0) {
  return static_cast<u32>(bit_field(id_aa64dfr0, 32, 4));
}
// 0 means no PMU, 0xf a PMU that is not PMUv3.
constexpr bool has_pmu(u64 id_aa64dfr0) {
  return pmu_version(id_aa64dfr0) != 0 && pmu_version(id_aa64dfr0) != 0xf;
}
constexpr bool has_long_counters(u64 id_aa64dfr0) {
  return has_pmu(id_aa64dfr0) && pmu_version(id_aa64dfr0) >= 6;
}

}  // namespace wperf::driver
