// SPDX-License-Identifier: BSD-3-Clause
// The branches that the hardware recorded. Branch stacks (LBR, BRBE) also give ranges: the code between the target of
// one branch and the next branch ran without a taken branch. A record of SPE is one branch by itself.
#pragma once
#include "analysis/pgo/profile_counts.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"

namespace wperf::pgo {

// `recorded`: of this file, read with ReadOptions::code, so that its files of code are still open.
void add_branch_stacks(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded,
                       ProfileCounts& counts);
// Taken branches of user code, into Binary::operation_branches.
void add_spe_branches(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                      const recording::RecordedSamples& recorded, ProfileCounts& counts);

}  // namespace wperf::pgo
