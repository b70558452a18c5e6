// SPDX-License-Identifier: BSD-3-Clause
// The SPE profiles of the golden files. For tests only.
#pragma once
#include "analysis/operations/spe_profile.h"
#include "model/answers/count_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::report::testing {

// Loads of two kinds and branches on one core, with the counters of that core.
operations::SpeProfile loads_and_branches();
answers::CountProfile population_counted();
// The same with memory: three data sources, stores without one, a line that two threads fight over, losses.
operations::SpeProfile memory_sampled();
// WindowsPerf's view of either.
compat::CompatView view_of(const operations::SpeProfile& profile);

}  // namespace wperf::report::testing
