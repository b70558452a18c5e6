// SPDX-License-Identifier: BSD-3-Clause
// PMCR_EL0.E, which enables the counters of this core: the only bit of PMCR that the driver changes. The other bits
// affect other users' counters; two of them would reset those counters.
#pragma once
#include "driver/core/pmu_registers.h"
#include "driver/hal.h"

namespace wperf::driver {

inline void set_pmu_switch(Hal& hal, bool on) {
  const u64 found = hal.read_register(Register::pmcr) & ~(kPmcrResetEvents | kPmcrResetCycles);
  const u64 wanted = on ? found | kPmcrEnable : found & ~kPmcrEnable;
  if (wanted != found) {
    hal.write_register(Register::pmcr, wanted);
  }
}

// Clears the bit again if it was clear before, unless another user's counters have begun to count since.
inline void give_back_pmu_switch(Hal& hal, u64 found_pmcr, u64 found_enabled, u64 our_counters) {
  const u64 begun = hal.read_register(Register::pmcntenset) & ~(found_enabled | our_counters);
  if ((found_pmcr & kPmcrEnable) == 0 && begun == 0) {
    set_pmu_switch(hal, false);
  }
}

}  // namespace wperf::driver
