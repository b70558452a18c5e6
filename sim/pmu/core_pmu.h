// SPDX-License-Identifier: BSD-3-Clause
// PMUv3 registers of one core over its signals. Reads and writes mean what the Arm ARM says they mean.
#pragma once
#include "base/ints.h"
#include "driver/hal.h"
#include "sim/cpu/signals.h"

namespace wperf::sim {

struct PmuConfig {
  u64 midr = 0;
  u32 counters = 6;      // PMCR.N
  u32 version = 4;       // ID_AA64DFR0.PMUVer: 1 v3, 4 v3p1, 5 v3p4, 6 v3p5, 7 v3p7, 8 v3p8
  u32 spe_version = 1;   // ID_AA64DFR0.PMSVer, 0 = none
};

}  // namespace wperf::sim
