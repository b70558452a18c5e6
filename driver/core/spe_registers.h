// SPDX-License-Identifier: BSD-3-Clause
// Fields of the registers of the Statistical Profiling Extension that the driver reads and writes (Arm ARM for
// A-profile, "Statistical Profiling Extension System registers"). Pure.
#pragma once
#include "base/bits.h"
#include "base/ints.h"

namespace wperf::driver {

// PMSIDR_EL1
inline constexpr u64 kPmsidrFiltersEvents = 1u << 0;
inline constexpr u64 kPmsidrFiltersTypes = 1u << 1;
inline constexpr u64 kPmsidrFiltersLatency = 1u << 2;
inline constexpr u64 kPmsidrFiltersAbsentEvents = 1u << 6;  // FEAT_SPEv1p2
inline constexpr u32 kSpeWithAbsentEvents = 3;              // ID_AA64DFR0_EL1.PMSVer: FEAT_SPEv1p2

// PMBIDR_EL1
inline constexpr u64 kPmbidrProgrammingRefused = 1u << 4;  // the buffer belongs to a higher exception level

// PMSCR_EL1. PCT 0: timestamps are the virtual counter, which programs read as the system's clock.
inline constexpr u64 kPmscrEl0 = 1u << 0;
inline constexpr u64 kPmscrEl1 = 1u << 1;
inline constexpr u64 kPmscrContext = 1u << 3;
inline constexpr u64 kPmscrPhysical = 1u << 4;
inline constexpr u64 kPmscrTimestamps = 1u << 5;
inline constexpr u64 kPmscrProfiles = kPmscrEl0 | kPmscrEl1;

// PMSIRR_EL1: the interval is in units of 256 operations, starting at bit 8, so a multiple of 256 is written unchanged.
inline constexpr u64 kPmsirrRandom = 1u << 0;
inline constexpr u64 kPmsirrInterval = 0xffff'ff00;

// PMSFCR_EL1
inline constexpr u64 kPmsfcrEvents = 1u << 0;
inline constexpr u64 kPmsfcrTypes = 1u << 1;
inline constexpr u64 kPmsfcrLatency = 1u << 2;
inline constexpr u64 kPmsfcrAbsentEvents = 1u << 3;
inline constexpr u64 kPmsfcrBranches = 1u << 16;
inline constexpr u64 kPmsfcrLoads = 1u << 17;
inline constexpr u64 kPmsfcrStores = 1u << 18;

// PMBLIMITR_EL1: the limit is a multiple of 4 KB; a full buffer stops the profiling.
inline constexpr u64 kPmblimitrEnable = 1u << 0;
inline constexpr u64 kSpePage = 4096;

// PMBSR_EL1
inline constexpr u64 kPmbsrCollision = 1u << 16;
inline constexpr u64 kPmbsrService = 1u << 17;  // profiling has stopped; the interrupt's line
inline constexpr u64 kPmbsrExternalAbort = 1u << 18;
inline constexpr u64 kPmbsrDataLoss = 1u << 19;
constexpr u32 event_class_of_pmbsr(u64 pmbsr) {  // class 0 is buffer management
  return static_cast<u32>(bit_field(pmbsr, 26, 6));
}
constexpr u32 buffer_status_of_pmbsr(u64 pmbsr) {  // status of event class 0: 0 not filled, 1 filled
  return static_cast<u32>(bit_field(pmbsr, 0, 6));
}

}  // namespace wperf::driver
