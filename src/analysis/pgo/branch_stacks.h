// SPDX-License-Identifier: BSD-3-Clause
// Adds the branches recorded by the hardware. Branch stacks (LBR, BRBE) also give ranges: the code from the target of
// one branch to the next branch ran without a taken branch. An SPE record is a single branch.
#pragma once
#include "analysis/pgo/profile_counts.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"

namespace wperf::pgo {

// `recorded`: the samples of `file`, read with ReadOptions::code, so that the code files are still open. `rvas`: as in
// ReadOptions.
void add_branch_stacks(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded, bool rvas,
                       ProfileCounts& counts);
// Adds taken branches of user code to Binary::operation_branches.
void add_spe_branches(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                      const recording::RecordedSamples& recorded, bool rvas, ProfileCounts& counts);

}  // namespace wperf::pgo
