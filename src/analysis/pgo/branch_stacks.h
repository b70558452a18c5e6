// SPDX-License-Identifier: BSD-3-Clause
// The branch stacks of a perf.data file (LBR, BRBE) as branches and as ranges: the code between the target of one
// branch and the next branch ran without a taken branch.
#pragma once
#include "analysis/pgo/profile_counts.h"
#include "formats/perf_data/perf_file.h"

namespace wperf::pgo {

// `recorded`: of this file, read with ReadOptions::code, so that its files of code are still open.
void add_branch_stacks(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded,
                       ProfileCounts& counts);

}  // namespace wperf::pgo
