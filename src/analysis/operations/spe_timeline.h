// SPDX-License-Identifier: BSD-3-Clause
// --timeline of SPE data: how many records each function had in every stretch of time. The bytes are decoded once more
// for it, after their addresses have their names.
#pragma once
#include "analysis/operations/spe_profile.h"
#include "analysis/recording/recorded_records.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/run_facts.h"

namespace wperf::operations {

// Returns false if the records have no times. `run`: the run's begin and end, if the file has them; otherwise the first
// and the last record are used.
bool add_spe_timeline(const recording::RecordedRecords& records, const perf_data::AuxTraces& traces,
                      const perf_data::RunFacts* run, u64 slice_ns, operations::SpeProfile& profile);

}  // namespace wperf::operations
